"""The parts of training: schedules, batches, judgement, averages, estimates."""

from __future__ import annotations

import math
import typing
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from regard.errors import UserError
from regard.evaluate.measure import Measure
from regard.models.weights import load_weights, weights
from regard.text.batch import Example, Ids, collate, fill, plan
from regard.training import OptimiserSettings, TrainSettings, checkpoint, events, schedule
from regard.training.checkpoint import Progress
from regard.training.loop import Validation, judge, replan, stream
from regard.training.optimiser import Optimiser
from regard.training.schedule import CosineSettings, InverseSqrtSettings, PlateauSettings, ScheduleSettings

STEPS = 1000


def factor(settings: ScheduleSettings, step: int, steps: int, reductions: int = 0) -> float:
    return schedule.factor(settings, step, steps, schedule.warmup(settings, steps), reductions)


@pytest.mark.parametrize("kind", typing.get_args(ScheduleSettings))
def test_every_schedule_rises_to_its_height_in_the_warmup_and_never_above(kind: type[ScheduleSettings]) -> None:
    settings = kind(warmup=100)
    assert factor(settings, 1, STEPS) == pytest.approx(0.01)
    assert factor(settings, 50, STEPS) == pytest.approx(0.5)
    assert factor(settings, 100, STEPS) == pytest.approx(1.0)
    assert max(factor(settings, step, STEPS) for step in range(1, STEPS + 1)) == pytest.approx(1.0)
    # a share of the run is the same as its steps
    assert factor(kind(warmup=0.1), 37, STEPS) == factor(settings, 37, STEPS)


def test_schedules_fall_as_their_formulas_say() -> None:
    assert factor(InverseSqrtSettings(warmup=100), 400, STEPS) == pytest.approx(0.5)
    assert factor(CosineSettings(warmup=0, floor=0.1), STEPS, STEPS) == pytest.approx(0.1)
    assert factor(CosineSettings(warmup=0, floor=0.0), 500, 999) == pytest.approx(0.5, abs=0.01)
    assert factor(PlateauSettings(warmup=0, factor=0.5), 700, STEPS, reductions=3) == pytest.approx(0.125)


def examples(lengths: list[tuple[int, int]]) -> list[Example]:
    return [Example(np.arange(s, dtype=np.int64), np.arange(t + 1, dtype=np.int64)) for s, t in lengths]


def many(count: int = 300) -> list[Example]:
    rng = np.random.default_rng(0)
    return examples([(int(s), int(t)) for s, t in rng.integers(1, 30, (count, 2))])


def test_an_epoch_holds_every_example_once_within_the_budget_of_tokens() -> None:
    data = many()
    batches = plan(data, tokens=100, seed=1, epoch=0)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(data)))
    for batch in batches:
        longest = max(max(len(data[n].source), data[n].num_tokens) for n in batch)
        assert len(batch) * longest <= 100 or len(batch) == 1


def test_next_to_no_time_goes_to_padding() -> None:
    """Sources of one length stand together, and their targets are neighbours."""
    rng = np.random.default_rng(0)
    source = rng.integers(5, 15, 3000)
    data = examples([(int(s), int(s + d)) for s, d in zip(source, rng.integers(-2, 3, 3000), strict=True)])
    batches = plan(data, tokens=400, seed=1, epoch=0)
    kinds = [{len(data[n].source) for n in batch} for batch in batches]
    assert sum(len(kind) > 1 for kind in kinds) < 10
    held = sum(len(batch) * max(data[n].num_tokens for n in batch) for batch in batches)
    assert sum(example.num_tokens for example in data) > 0.97 * held


def test_order_is_a_pure_function_of_seed_and_epoch() -> None:
    def order(seed: int, epoch: int) -> list[list[int]]:
        return [batch.tolist() for batch in plan(many(), tokens=100, seed=seed, epoch=epoch)]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1) != order(2, 1)


def test_batches_are_filled_in_order() -> None:
    lengths: Ids = np.array([3, 3, 3, 50, 2, 2])
    assert [batch.tolist() for batch in fill(lengths, 7)] == [[0, 1], [2], [3], [4, 5]]
    kinds: Ids = np.array([3, 3, 3, 4, 4, 4])
    # a batch that is a quarter full ends where another kind begins
    assert [batch.tolist() for batch in fill(np.full(6, 4), 40, kinds)] == [[0, 1, 2], [3, 4, 5]]
    assert [batch.tolist() for batch in fill(np.full(6, 4), 60, kinds)] == [[0, 1, 2, 3, 4, 5]]


def test_collate_pads_and_counts_what_is_predicted() -> None:
    batch = collate(examples([(2, 1), (4, 3)]), padding=9)
    assert batch.source_BS.tolist() == [[0, 1, 9, 9], [0, 1, 2, 3]]
    assert batch.target_BT.tolist() == [[0, 1, 9, 9], [0, 1, 2, 3]]
    assert batch.target_length_B.tolist() == [1, 3]
    assert batch.num_tokens == 4


def test_a_stream_taken_up_anywhere_goes_on_the_same() -> None:
    data = many(60)
    whole = stream(lambda _: data, 100, 1, Progress())
    seen = [next(whole) for _ in range(40)]
    for number in (0, 3, 20, 38):
        epoch, batch, _ = seen[number]
        rest = stream(lambda _: data, 100, 1, Progress(epoch=epoch, batch=batch))
        assert [x.source.tolist() for x in next(rest)[2]] == [x.source.tolist() for x in seen[number + 1][2]]


def validation(value: float, loss: float = 1.0) -> Validation:
    return Validation(loss, Measure("WER", value, "", higher_is_better=False))


def test_the_best_is_the_best_by_measure_then_by_loss() -> None:
    settings, progress = TrainSettings(average=3), Progress()
    story = [(9.0, 1.0, True), (8.0, 2.0, True), (8.5, 0.1, False), (8.0, 1.9, True), (8.0, 1.9, False)]
    for step, (value, loss, best) in enumerate(story, start=1):
        progress.step = step
        assert judge(progress, validation(value, loss), settings).best is best
    assert progress.best is not None and progress.best.step == 4
    assert progress.num_worse == 1
    assert progress.recent == [3, 4, 5]


def test_a_plateau_reduces_the_rate() -> None:
    settings, progress = TrainSettings(schedule=PlateauSettings(patience=2)), Progress()
    for value in (5.0, 6.0, 6.0, 6.0, 6.0):
        judge(progress, validation(value), settings)
    assert progress.num_reductions == 2


def test_a_run_is_planned_anew_when_the_clock_says_so() -> None:
    assert replan(1000, 500, seconds_a_step=1, seconds_left=400) == 900
    assert replan(1000, 500, seconds_a_step=0.5, seconds_left=400) == 1300
    assert replan(1000, 500, seconds_a_step=1, seconds_left=510) == 1000  # near enough
    assert replan(1000, 500, seconds_a_step=1, seconds_left=-3) == 501
    assert replan(1000, 1000, seconds_a_step=1, seconds_left=400) == 1000  # done is done
    # what was done before does not count: of 150 steps more, half as many again are many
    assert replan(10_150, 10_010, seconds_a_step=0.4, seconds_left=116, first=10_000) == 10_300
    assert replan(10_150, 10_010, seconds_a_step=1.2, seconds_left=108, first=10_000) == 10_100


def test_decay_spares_vectors_and_biases() -> None:
    from regard.nn.embedding import Embedding, OutputLayer

    embedding = Embedding(5, 4)
    network = nn.ModuleDict({"e": embedding, "o": OutputLayer(embedding.weight_VE), "l": nn.Linear(4, 4)})
    (adam,) = Optimiser(network, OptimiserSettings(weight_decay=0.1)).shares
    decayed, free = adam.param_groups
    assert [p.shape for p in decayed["params"]] == [(4, 4)]
    assert decayed["weight_decay"] == 0.1 and free["weight_decay"] == 0
    assert len(free["params"]) == 3


def descend(workers: int, clip: float, steps: int = 3) -> tuple[list[torch.Tensor], list[float]]:
    torch.manual_seed(1)
    network = nn.Sequential(nn.Linear(5, 7), nn.Linear(7, 3), nn.Linear(3, 1))
    optimiser, norms = Optimiser(network, OptimiserSettings(weight_decay=0.1), workers), []
    for _ in range(steps):
        network.zero_grad()
        network(torch.arange(10.0).view(2, 5)).square().sum().backward()
        norms.append(optimiser.step(0.01, clip))
    return [parameter.detach() for parameter in network.parameters()], norms


@pytest.mark.parametrize("clip", [0.0, 1.0, 1e9])
def test_the_optimiser_does_the_same_on_any_number_of_cores(clip: float) -> None:
    (one, norms), (four, norms_of_four) = descend(1, clip), descend(4, clip)
    assert norms == norms_of_four
    assert all(torch.equal(a, b) for a, b in zip(one, four, strict=True))


def test_gradients_are_clipped_together() -> None:
    network = nn.Linear(2, 1)
    optimiser = Optimiser(network, OptimiserSettings(), workers=2)
    for clip, left in ((0.0, 5.0), (10.0, 5.0), (2.0, 2.0)):
        network.weight.grad, network.bias.grad = torch.tensor([[0.0, 3.0]]), torch.tensor([4.0])
        assert optimiser.step(0.01, clip) == pytest.approx(5.0)
        together = torch.cat([network.weight.grad.flatten(), network.bias.grad])
        assert together.norm().item() == pytest.approx(left)


def test_a_gradient_that_is_not_finite_is_not_followed() -> None:
    network = nn.Linear(2, 1)
    before = weights(network)["weight"].clone()
    network.weight.grad, network.bias.grad = torch.tensor([[math.nan, 0.0]]), torch.tensor([1.0])
    assert math.isnan(Optimiser(network, OptimiserSettings()).step(0.01, clip=1.0))
    assert torch.equal(network.weight.detach(), before)


def test_a_checkpoint_gives_back_weights_moments_and_progress(tmp_path: Path) -> None:
    network, other = nn.Linear(3, 2), nn.Linear(3, 2)
    adam = Optimiser(network, OptimiserSettings())
    network(torch.ones(1, 3)).sum().backward()
    adam.step(0.1, clip=1.0)
    checkpoint.save(tmp_path, network, adam, Progress(step=7, loss=math.pi, recent=[7]))
    again = Optimiser(other, OptimiserSettings(), workers=2)  # on a machine with more cores
    progress = checkpoint.load(tmp_path, other, again)
    assert (progress.step, progress.loss) == (7, math.pi)
    for (name, a), (_, b) in zip(network.named_parameters(), other.named_parameters(), strict=True):
        assert torch.equal(a, b), name
        for moment in ("exp_avg", "exp_avg_sq", "step"):
            assert torch.equal(adam.state(a)[moment], again.state(b)[moment])


def test_only_what_is_asked_for_later_is_kept(tmp_path: Path) -> None:
    network = nn.Linear(1, 1)
    adam = Optimiser(network, OptimiserSettings())
    best = checkpoint.Best(2, 0.0, 0.0)
    for step in range(1, 8):
        progress = Progress(step=step, best=best, recent=list(range(1, step + 1))[-2:])
        checkpoint.save(tmp_path, network, adam, progress)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00000002", "step-00000006", "step-00000007"]
    assert not (tmp_path / "step-00000006" / "optimiser.safetensors").exists()


def test_the_average_is_the_mean_of_what_was_learnt_and_what_was_counted_stays(tmp_path: Path) -> None:
    network = nn.Linear(1, 1, bias=False)
    counted = 2**63 - 2  # no float of 64 bits
    network.register_buffer("counted", torch.tensor([counted]))
    adam = Optimiser(network, OptimiserSettings())
    for step, value in ((1, 2.0), (2, 5.0), (3, 5.0)):
        load_weights(network, {"weight": torch.tensor([[value]]), "counted": torch.tensor([counted])})
        checkpoint.save(tmp_path, network, adam, Progress(step=step, recent=[1, 2, 3]))
    found = checkpoint.average(tmp_path, [1, 2, 3])
    assert found["weight"].item() == pytest.approx(4.0)
    assert found["counted"].tolist() == [counted]


def test_weights_that_do_not_fit_are_refused() -> None:
    network = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="do not fit"):
        load_weights(network, {"weight": torch.zeros(2, 2)})
    with pytest.raises(ValueError, match="do not fit"):
        load_weights(network, {**weights(network), "weight": torch.zeros(3, 2)})


def test_events_come_back_and_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    story = [events.Learnt(1, 0.1 + 0.2, 1e-3, 2.0), events.Validated(2, 1.5, "BLEU", 30.0, True)]
    for event in story:
        events.append(path, event)
    assert events.read(path) == story
    events.rewind(path, 1)
    assert events.read(path) == story[:1]
    path.write_text("nonsense\n")
    with pytest.raises(UserError, match=r"events\.jsonl:1"):
        events.read(path)

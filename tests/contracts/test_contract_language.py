"""What holds for every language model."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from torch import Tensor
from variants import JUNK, NUM_TOKENS, close, covering, forms, name, rates, without_dropout

import regard
from regard import models, tasks
from regard.errors import UserError
from regard.model import FORMAT, Config, LanguageModel, load, save
from regard.models import LanguageModelSettings, VectorSettings
from regard.models import language_model as networks
from regard.nn.dropout import Noise
from regard.nn.positions import LearnedSettings
from regard.nn.trunks import TransformerTrunkSettings, TrunkSettings
from regard.search import BeamSettings, GreedySettings, SampleSettings
from regard.tasks.language import Writer
from regard.text import tokenisers
from regard.text.tokenisers import BpeSettings, CharSettings, WordSettings
from regard.text.tokenisers.base import BOS

TRUNKS: list[TrunkSettings] = forms(TrunkSettings, {"size": [8], "num_layers": [1, 2], "activation": ["gelu"]})
ALL = [LanguageModelSettings(embedding=VectorSettings(size=6), trunk=trunk, context=12) for trunk in TRUNKS]
FEW = covering(ALL)
TEXT = "to be, or not to be, that is the question: whether 'tis nobler\n"


@cache
def network(settings: LanguageModelSettings) -> networks.LanguageModel:
    built = models.build_language_model(settings, num_tokens=NUM_TOKENS).double()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.copy_(0.6 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return built


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_each_rate_counts(settings: LanguageModelSettings) -> None:
    def loss(settings: LanguageModelSettings) -> Tensor:
        with torch.no_grad():
            return network(settings).loss(*texts(), noise=Noise(1, 2)).total

    for path, noisy in rates(settings):
        assert not torch.equal(loss(noisy), loss(without_dropout(settings))), path


def texts(more: int = 0) -> tuple[Tensor, Tensor]:
    """Texts of 7, 3 and 5 tokens after the first."""
    generator = torch.Generator().manual_seed(2)
    text_BT = torch.full((3, 8 + more), JUNK)
    text_BT[:, :8] = torch.randint(3, NUM_TOKENS, (3, 8), generator=generator)
    text_BT[:, 0] = BOS
    length_B = torch.tensor([7, 3, 5])
    text_BT[torch.arange(8 + more) > length_B[:, None]] = JUNK
    return text_BT, length_B


def writer(settings: LanguageModelSettings, kind: Any = CharSettings()) -> LanguageModel:  # noqa: B008
    tokeniser = tokenisers.train(kind, [TEXT * 3])
    torch.manual_seed(3)
    task = tasks.build(settings, {"target": tokeniser})
    config = Config(
        format=FORMAT,
        regard=regard.__version__,
        task="language",
        model=settings,
        search=BeamSettings(),
        measures=[],
        training={},
    )
    return LanguageModel(task, config)  # type: ignore[arg-type]


@pytest.mark.parametrize("settings", ALL, ids=name)
def test_step_by_step_equals_all_at_once(settings: LanguageModelSettings) -> None:
    model, (text_BT, _) = network(settings), texts()
    length_B = torch.full((3,), 7)
    with torch.no_grad():
        forced, state = model.force(text_BT, length_B, look=True), model.start(3)
        for t in range(7):
            logits_BV, weights_BLH1S, state = model.step(text_BT[:, t], state, look=True)
            logprob_BV = logits_BV.log_softmax(-1)
            assert close(logprob_BV.gather(1, text_BT[:, t + 1, None])[:, 0], forced.logprobs_BT[:, t])
            assert (weights_BLH1S is None) == (not model.trunk.attends) == (forced.weights_BLHTS is None)
            if weights_BLH1S is not None and forced.weights_BLHTS is not None:
                assert close(weights_BLH1S[..., 0, :], forced.weights_BLHTS[..., t, : t + 1])
                assert not forced.weights_BLHTS[..., t, t + 1 :].any(), "nobody sees what comes later"


@pytest.mark.parametrize("settings", ALL, ids=name)
def test_texts_that_have_come_to_different_positions_join(settings: LanguageModelSettings) -> None:
    model, (text_BT, _) = network(settings), texts()
    with torch.no_grad():
        states = []
        for row, num_steps in ((slice(0, 1), 4), (slice(1, 3), 2)):
            state = model.start(len(text_BT[row]))
            for t in range(num_steps):
                state = model.step(text_BT[row, t], state)[2]
            states.append(state)
        for one, other in (states, states[::-1]):
            num_rows, joined = len(one.position_R), one.join(other)
            for t in (4, 5):
                logits_RV, _, joined = model.step(text_BT[:, t], joined)
                (first_RV, _, one), (second_RV, _, other) = (
                    model.step(text_BT[:num_rows, t], one),
                    model.step(text_BT[num_rows:, t], other),
                )
                assert close(logits_RV, torch.cat([first_RV, second_RV]))
            parted = joined.keep(torch.arange(num_rows, len(text_BT)))
            assert all(close(parted.rows[name], part) for name, part in other.rows.items()), "nothing of the others"


@pytest.mark.parametrize("settings", ALL, ids=name)
def test_padding_is_invisible(settings: LanguageModelSettings) -> None:
    model = network(settings)
    (tight, length_B), (loose, _) = texts(), texts(more=3)
    with torch.no_grad():
        assert close(model.force(loose, length_B).logprobs_BT[:, :7], model.force(tight, length_B).logprobs_BT)
        assert close(model.loss(loose, length_B).total, model.loss(tight, length_B).total)
        assert close(-model.force(tight, length_B).logprobs_BT.sum(), model.loss(tight, length_B).nll)


@pytest.mark.parametrize("settings", ALL, ids=name)
def test_fast_is_plain_and_every_parameter_gets_a_gradient(settings: LanguageModelSettings) -> None:
    fast = network(settings)
    plain = models.build_language_model(msgspec.structs.replace(settings, fast=False), num_tokens=NUM_TOKENS).double()
    plain.load_state_dict(fast.state_dict())
    losses = [model.loss(*texts(), smoothing=0.1, noise=Noise(1, 2)).total for model in (fast, plain)]
    assert close(losses[0], losses[1])
    gradients = [
        torch.autograd.grad(loss, list(model.parameters())) for loss, model in zip(losses, (fast, plain), strict=True)
    ]
    for (part, _), one, other in zip(fast.named_parameters(), *gradients, strict=True):
        assert one.isfinite().all() and one.any(), part
        assert close(one, other), part


@pytest.mark.parametrize("settings", FEW, ids=name)
@pytest.mark.parametrize("unit", ["text", "line"])
def test_what_search_reports_is_what_the_text_has(settings: LanguageModelSettings, unit: Any) -> None:
    model = writer(msgspec.structs.replace(settings, unit=unit))
    task = model.task
    prompts = [task.target.encode(text) for text in ("to", "or not", "")]
    for search in (BeamSettings(width=3), GreedySettings(), SampleSettings(seed=3)):
        for best in task.search(prompts, search, max_length=5):
            ids = list(best[0].tokens)
            start = task.target.encode("\n")[-1] if task.running else BOS
            assert start == task.first
            end = [2] if best[0].finished else []
            (looked,) = task.look([torch.tensor([start, *ids, *end]).numpy()], weights=False)
            assert sum(looked.logprobs) == pytest.approx(best[0].logprob, abs=1e-4)
    one, greedy = (task.search(prompts, search, max_length=5) for search in (BeamSettings(width=1), GreedySettings()))
    assert [best[0].tokens for best in one] == [best[0].tokens for best in greedy]


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_a_running_text_is_predicted_once_with_a_context_before_it(settings: LanguageModelSettings) -> None:
    """Where a window holds the whole text, it is one pass; else no token is counted twice or left out."""
    task = writer(settings).task
    ids = task.target.encode(TEXT)
    assert len(task.logprobs([TEXT])[0]) == len(ids)
    short = TEXT[:9]
    (whole,) = task.look([torch.tensor([task.first, *task.target.encode(short)]).numpy()], weights=False)
    assert task.logprobs([short])[0] == pytest.approx(list(whole.logprobs))
    assert [len(logprob_T) for logprob_T in task.logprobs([""])] == [0]
    for first in (0, 1, 5, task.context):
        windows = task.windows(torch.tensor(ids).numpy(), first)
        assert [int(token) for window in windows for token in window.target[1:]] == ids
        assert all(window.num_tokens <= task.context for window in windows)
        assert all(int(a.target[-1]) == int(b.target[0]) for a, b in pairwise(windows))


@pytest.mark.parametrize("kind", [CharSettings(), WordSettings(min_count=1), BpeSettings(size=300)], ids=name)
def test_a_prompt_is_read_as_it_stands_in_a_text(kind: Any) -> None:
    """On a new line, with no blank before it."""
    tokeniser = tokenisers.train(kind, [TEXT * 3])
    task = tasks.build(ALL[0], {"target": tokeniser})
    assert isinstance(task, Writer)
    ids = task.prompt("or not")
    whole = tokeniser.encode("to be,\nor not")
    assert whole[-len(ids) :] == ids
    for prompt in ("or not", " or not", "  or", "\nor"):
        (written,) = writer(ALL[0], kind).generate(prompt, max_length=3)
        assert written.startswith(prompt)
    assert tokeniser.pieces[tokeniser.encode("\n")[-1]] == b"\n"


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_it_writes_on_beyond_its_context_and_the_same_again(settings: LanguageModelSettings) -> None:
    model = writer(settings)
    one, other = (model.generate("to be", max_length=40, count=2) for _ in range(2))
    assert one == other
    assert one[0] != one[1], "two texts are two draws"
    assert all(len(model.task.target.encode(text)) >= 40 and text.startswith("to be") for text in one)
    # of a single token there are only so many that a beam can find
    few = model.generate("to be", settings=BeamSettings(width=400), max_length=1, count=400)
    assert 1 < len(few) < 400
    # the settings' length is that of the whole, not of each window
    short = model.generate("to be", settings=GreedySettings(max_length=15), max_length=40)
    assert short == model.generate("to be", settings=GreedySettings(), max_length=15)


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_a_window_goes_on_after_the_token_before_it(settings: LanguageModelSettings) -> None:
    """Greedily, beyond a context: each window's first new token is the best one after what it holds and one before."""
    model = writer(settings)
    task, half = model.task, model.task.context // 2
    ids = task.target.encode(TEXT)[: half + 3]
    (text,) = model._going_on([ids], GreedySettings(), 4, 1)
    assert text[: len(ids)] == ids and len(text) == len(ids) + 4
    given = torch.tensor([text[2:]])
    logits = task.network.output(task.network.trunk(task.network.embedding(given)).features_BTE)[0]
    logits[:, :3] = -torch.inf  # a running text has no beginning and no end
    assert logits.argmax(1)[half:-1].tolist() == text[-4:]


def test_a_prompt_that_has_no_room_is_refused_and_others_get_what_there_is() -> None:
    trunk = TransformerTrunkSettings(size=8, positions=LearnedSettings(most=20))
    model = writer(LanguageModelSettings(trunk=trunk, unit="line"))
    assert len(model.task.search([[5, 6]], GreedySettings(), max_length=200)[0][0].tokens) <= 20
    with pytest.raises(UserError, match="20 positions"):
        model.task.search([[5] * 20], GreedySettings(), max_length=200)


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_a_loaded_model_is_the_saved_one(settings: LanguageModelSettings, tmp_path: Path) -> None:
    model = writer(settings)
    save(model, tmp_path / "model", "a card")
    loaded = load(tmp_path)
    assert isinstance(loaded, LanguageModel)
    assert loaded.config == model.config
    assert loaded.score([TEXT]) == model.score([TEXT])
    assert loaded.generate("to", max_length=9) == model.generate("to", max_length=9)


@pytest.mark.parametrize("kind", [CharSettings(), WordSettings(min_count=1), BpeSettings(size=300)], ids=name)
def test_a_text_is_scored_and_looked_into_as_it_stands_in_another(kind: Any) -> None:
    """On a new line, with no blank before it: as it was learnt from, and as a prompt is read."""
    model = writer(msgspec.structs.replace(ALL[-1], context=64), kind)
    prompt = model.task.prompt("to be")
    (looked,) = model.task.look([torch.tensor([model.task.first, *prompt]).numpy()], weights=False)
    assert model.score(["to be"]) == pytest.approx([sum(looked.logprobs)])
    assert len(model.inspect("to be").target_pieces) == len(prompt)


def test_what_a_language_model_cannot_do_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = writer(FEW[0])
    with pytest.raises(UserError, match="coverage penalty is for what was read of a source"):
        model.generate("to", settings=BeamSettings(coverage=0.1))
    monkeypatch.setattr(Writer, "logprobs", lambda *_, **__: [torch.full((3,), -800.0).numpy()])
    with pytest.raises(UserError, match=r"finds the text impossible.*800.*learning_rate"):
        model.measures(["abc"])

"""Parts of a step side by side: the same bits, however many cores there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from regard.run import conduct, plan
from regard.tasks.workers import choose_parts
from regard.training.loop import learn

WORKERS: dict[str, Any] = {"train": {"batch_tokens": 64, "workers": 2, "validate_every": 5}}


def begin(out: Path) -> plan.Prepared:
    pairs = [(word, word[::-1]) for word in (f"{n:05b}".replace("0", "a").replace("1", "b") for n in range(32))]
    return plan.prepare_new(pairs, out=out, preset_name="tiny", layers=[WORKERS, conduct.options(steps=5)])


@pytest.fixture
def threads() -> Any:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_the_bits_do_not_depend_on_the_number_of_threads(tmp_path: Path, threads: None) -> None:
    for count in (1, 2):
        torch.set_num_threads(count)
        conduct.run(begin(tmp_path / str(count)))
        assert torch.get_num_threads() == count
    first, second = ((tmp_path / count / "model" / "model.safetensors").read_bytes() for count in "12")
    assert first == second


def test_gradients_are_those_of_all_parts_together(tmp_path: Path) -> None:
    prepared = begin(tmp_path / "run")
    task, settings = prepared.task, prepared.settings.train
    parts = [prepared.examples[:8], prepared.examples[8:16], prepared.examples[16:19]]
    found = []
    for count in (1, 2):
        counted = msgspec.structs.replace(settings, workers=count)
        nll, num_tokens = learn(task, parts, counted, seed=1, step=3)
        assert num_tokens == sum(example.num_tokens for part in parts for example in part)
        found.append((nll, [p.grad.clone() for p in task.network.parameters() if p.grad is not None]))
    assert found[0][0] == found[1][0]
    assert len(found[0][1]) == len(list(task.network.parameters()))
    assert all(torch.equal(a, b) for a, b in zip(found[0][1], found[1][1], strict=True))


def test_as_many_parts_as_cores_and_as_the_batch_feeds(threads: None) -> None:
    torch.set_num_threads(2)
    cpu = torch.device("cpu")
    assert choose_parts(768, 540_000, cpu) == 1  # the demo
    assert choose_parts(100, 10**9, cpu) == 1
    assert choose_parts(2048, 1_000_000, cpu) == 2
    assert choose_parts(100_000, 10**9, cpu) == 2
    assert choose_parts(100_000, 10**9, torch.device("meta")) == 1

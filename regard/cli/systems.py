"""The systems that `regard evaluate` compares: models, put to work one after the other, and files of outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from regard.cli import options
from regard.errors import UserError

if TYPE_CHECKING:
    from regard.model import Model
    from regard.tasks.evaluation import Outputs
    from regard.text.pair import Pair


@dataclass(frozen=True)
class Work:
    """What models are asked for: outputs for these pairs, found in this way, and links of words if they have any."""

    pairs: Sequence[Pair]
    beam: int | None
    sets: Sequence[str]
    align: bool
    device: str
    workers: int | None

    def outputs(self, model: Model) -> Outputs:
        from regard.model import Classifier, Translator

        if isinstance(model, Classifier):
            return model.outputs(self.pairs, workers=self.workers)
        assert isinstance(model, Translator), "a language model is measured by itself, and beside no other task"
        settings = options.searching(model, self.beam, self.sets)
        align = self.align and model.task.network.decoder.attends
        return model.outputs(self.pairs, settings, align=align, workers=self.workers)


def prepared(path: Path, work: Work, spec: str) -> Callable[[], Outputs]:
    """What gives the outputs of a model directory, or of a text file, for the pairs of `spec`.

    What is wrong with either is said at once, before anything slow; a model is loaded only while it works.
    """
    if path.is_dir():
        _found(path, replace(work, pairs=work.pairs[:1]))
        return partial(_found, path, work)
    written = _written(path, work.pairs, spec)
    return lambda: written


def _found(path: Path, work: Work) -> Outputs:
    from regard.model import load

    model = load(path, device=work.device)
    try:
        return work.outputs(model)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None  # it is one of several


def _written(path: Path, pairs: Sequence[Pair], spec: str) -> Outputs:
    from regard.tasks.evaluation import Outputs
    from regard.text.readers import read_lines
    from regard.text.readers.lines import title

    lines = list(read_lines(path))
    if len(lines) != len(pairs):
        raise UserError(
            f"{path}: has {len(lines):,} lines for the {len(pairs):,} pairs of {title(spec)}: "
            "each pair needs its own line of output"
        )
    tabbed = next((number for number, line in enumerate(lines, start=1) if "\t" in line), None)
    if tabbed and not any("\t" in pair.target for pair in pairs):
        raise UserError(f"{path}:{tabbed}: has a tab: a file of outputs holds the outputs alone, and no table")
    return Outputs(lines)

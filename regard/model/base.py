"""What every model is: a task, and what is known of it. What it cannot do it refuses by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from regard import models
from regard.errors import UserError
from regard.search import SearchSettings
from regard.tasks.base import TaskName

if TYPE_CHECKING:
    from regard.evaluate.measure import Measure
    from regard.explain.inspection import Piece
    from regard.model.classifier import Label
    from regard.tasks.base import Floats, Task
    from regard.tasks.evaluation import Evaluation
    from regard.text.pair import Pair
    from regard.text.tokenisers.base import Tokeniser


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """`config.json`: what is needed to build the network again, and what is known of it."""

    format: int
    regard: str
    task: TaskName
    model: models.ModelSettings
    search: SearchSettings
    joint: bool = False
    length_ratio: float = 1.0
    measures: list[dict[str, Any]]  # on the validation pairs
    training: dict[str, Any]  # how it came to be: pairs, steps, seed, …


@dataclass(frozen=True, repr=False)
class Model:
    """What `regard.load` gives: a Translator, a Classifier, a LanguageModel. It refuses what is not its own."""

    task: Task
    config: Config

    does: ClassVar[str]  # "translates"
    command: ClassVar[str]  # of the command line

    def translate(self, *args: Any, **options: Any) -> list[str]:
        raise self.cannot("translate")

    def classify(self, *args: Any, **options: Any) -> list[Label]:
        raise self.cannot("classify")

    def generate(self, *args: Any, **options: Any) -> list[str]:
        raise self.cannot("generate")

    def embed(self, *args: Any, **options: Any) -> Floats:
        raise self.cannot("embed")

    def score(self, *args: Any, **options: Any) -> list[float]:
        raise self.cannot("score")

    def inspect(self, *args: Any, **options: Any) -> Any:
        raise self.cannot("inspect")

    def evaluate(self, *args: Any, **options: Any) -> Evaluation:
        raise self.cannot("evaluate")

    def measures(self, pairs: Sequence[Pair | Any]) -> list[Measure]:
        """How good it is on pairs that it was not trained on."""
        return self.evaluate(pairs).measures

    @property
    def can_be_looked_into(self) -> bool:
        """Whether `inspect` has weights to show."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.does}>"

    def cannot(self, verb: str) -> UserError:
        return UserError(f"this model {self.does}, it cannot {verb}: `regard {self.command}` is for it")


def several(texts: Iterable[str], verb: str) -> list[str]:
    """Texts, and not the letters of one."""
    if isinstance(texts, str):
        raise UserError(f"{verb} takes a list of texts, not one text: put it in brackets")
    found = list(texts)
    for number, text in enumerate(found):
        if not isinstance(text, str):
            raise UserError(f"{verb}: text {number}: expected a string, not {text!r}")
    return found


def pieces(tokeniser: Tokeniser, ids: Sequence[int]) -> tuple[Piece, ...]:
    from regard.explain.inspection import Piece

    return tuple(
        Piece(tokeniser.piece_text(id_), start, end)
        for id_, (start, end) in zip(ids, tokeniser.spans(ids), strict=True)
    )

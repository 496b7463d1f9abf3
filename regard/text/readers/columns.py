"""Which columns (or keys) hold the source, the target and further references: what `--columns` says."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from regard.errors import UserError
from regard.text.pair import Pair

EXAMPLES = "such as 1,2 or 2,1 or 1,2,3 or 1,2- or en,fr"


@dataclass(frozen=True, slots=True)
class Columns:
    """The source's column, then the target's, then those of further references."""

    names: tuple[str, ...]
    numbered: bool  # names are numbers that count from 1
    rest: bool  # all columns after the last are references too
    said: str  # as it was written, for messages
    usual: bool = False  # nobody asks for them: they are chosen where they are

    @staticmethod
    def remembered(said: str | None) -> Columns | None:
        """What the training chose by name; numbers would mean something in any file, whatever it holds."""
        chosen = None if said is None else Columns.parse(said)
        return None if chosen is None or chosen.numbered else replace(chosen, usual=True)

    def found(self, names: Collection[str]) -> Columns | None:
        """These columns, or none if they are only the usual ones, and not all of them are there."""
        return None if self.usual and not set(self.names) <= set(names) else self

    @staticmethod
    def parse(said: str) -> Columns:
        """`1,2`: source and target; `1,2,3`: 3 is a further reference; `1,2-`: all from 2 on; `en,fr`: by name."""
        numbered = re.fullmatch(r"[\d\s,]+-?\s*", said, re.ASCII) is not None
        rest = numbered and said.rstrip().endswith("-")
        names = tuple(name.strip() for name in (said.rstrip().removesuffix("-") if rest else said).split(","))
        if len(names) < 2 or not all(names):
            raise UserError(f"--columns {said}: expected the source's column and the target's, {EXAMPLES}")
        if not numbered and len({name.isdecimal() for name in names}) > 1:
            raise UserError(f"--columns {said}: give the numbers of the columns or their names, not both, {EXAMPLES}")
        if numbered and not all(re.fullmatch(r"0*[1-9]\d{0,8}", name, re.ASCII) for name in names):
            raise UserError(f"--columns {said}: columns are counted from 1, {EXAMPLES}")
        if rest and int(names[0]) >= int(names[-1]):
            raise UserError(f"--columns {said}: the source's column {names[0]} is among the references {names[-1]}-")
        return Columns(names, numbered, rest, said)


def make_pair(source: str, targets: Sequence[str], where: str) -> Pair:
    """The first of `targets` is the target; the others are references, except empty and repeated ones."""
    target, *others = targets
    return Pair(source, target, tuple(dict.fromkeys([target, *filter(None, others)])), where)

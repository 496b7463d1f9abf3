"""Embedded corpora: small tasks that need no download, the same bytes for the same seed, no source in two splits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from regard import files
from regard.errors import UserError, suggest

if TYPE_CHECKING:
    from regard.text.make.draw import Corpus, Example

__all__ = ["CORPORA", "make"]

CORPORA: dict[str, str] = {
    "pie": "French and romanised Hindi to English, a small grammar with gold word links; test holds out combinations",
    "dates": "dates as English, French and German people write them, to ISO 8601: 9 mars 2021 -> 2021-03-09",
    "addition": "sums, character by character: 123+45 -> 168; length is the number of digits",
    "reverse": "strings of letters, backwards: abc -> cba; length is the number of letters",
    "copy": "strings of letters, unchanged: abc -> abc; length is the number of letters",
    "digits": "pictures of digits in many fonts; length is how many, and four or more are in one of the files only",
    "signs": "pictures of short words in many fonts; the words of test are those of train, drawn anew",
}


def make(
    name: str, out: Path, *, size: int | None = None, seed: int = 1, length: tuple[int, int] | None = None
) -> dict[str, int]:
    """Write `train.tsv`, `valid.tsv` and `test.tsv` (and `.align` files of gold word links where they are known).

    `size` is the number of training pairs; valid and test hold at most a tenth of it each.
    Returns the number of pairs in each file.
    """
    if name not in CORPORA:
        raise UserError(f"{name}: is not one of {', '.join(CORPORA)}{suggest(name, CORPORA)}")
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UserError(f"{out}: already exists and is not an empty directory; choose another --out")
    if size is not None and size < 1:
        raise UserError(f"--size {size}: must be at least 1")

    if name in ("digits", "signs"):
        return _pictures(name, out, size, seed, length)

    from regard.text.make.draw import draw

    corpus = _corpus(name, seed, length)
    sizes = corpus.sizes(size)
    if sum(sizes.values()) > corpus.available:
        change = "a smaller --size" if name in ("pie", "dates") else "a smaller --size or a longer --length"
        counts = ", ".join(f"{count} {split}" for split, count in sizes.items())
        raise UserError(
            f"{name}: {counts} pairs are wanted, but at most {corpus.available} can be made; choose {change}"
        )
    with files.directory(out) as place:
        for split, examples in draw(corpus, name, seed, sizes).items():
            _write(place, split, examples)
    return {str(split): count for split, count in sizes.items()}


def _pictures(name: str, out: Path, size: int | None, seed: int, length: tuple[int, int] | None) -> dict[str, int]:
    from regard.text.make import pictures

    if name == "signs" and length is not None:
        raise UserError("--length: signs has no length to choose; leave it out")
    if length is not None and not 1 <= length[0] <= length[1] <= 20:
        raise UserError(f"--length {length[0]}-{length[1]}: must be two numbers from 1 to 20, the smaller one first")
    with files.directory(out) as place:
        return pictures.make(
            name, place, size=size or pictures.SIZES[name], seed=seed, length=length or pictures.LENGTH
        )


def _corpus(name: str, seed: int, length: tuple[int, int] | None) -> Corpus:
    if name in ("pie", "dates"):
        if length is not None:
            raise UserError(f"--length: {name} has no length to choose; leave it out")
        if name == "pie":
            from regard.text.make import pie

            return pie.corpus(seed)
        from regard.text.make import dates

        return dates.corpus()
    if length is not None and not 1 <= length[0] <= length[1] <= 1000:
        raise UserError(f"--length {length[0]}-{length[1]}: must be two numbers from 1 to 1000, the smaller one first")
    if name == "addition":
        from regard.text.make import addition

        return addition.corpus(length or addition.LENGTH)
    from regard.text.make import letters

    return letters.corpus(letters.TASKS[name], length or letters.LENGTH)


def _write(place: Path, split: str, examples: Sequence[Example]) -> None:
    files.write(place / f"{split}.tsv", "".join(f"{example.source}\t{example.target}\n" for example in examples))
    if any(example.links for example in examples):
        files.write(place / f"{split}.align", "".join(f"{example.links}\n" for example in examples))

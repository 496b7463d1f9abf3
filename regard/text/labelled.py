"""Files of texts and labels, whichever stands first."""

from __future__ import annotations

from collections.abc import Sequence

from regard.errors import UserError
from regard.text.pair import Pair


def labelled(pairs: Sequence[Pair], labels: Sequence[str] | None = None) -> list[Pair]:
    """(text, label) pairs, whichever stood first: the label is one of `labels`, or what varies less than the other."""
    if labels is not None:
        known = set(labels)
        counts = [sum(side in known for side in sides) for sides in _sides(pairs)]
        if pairs and not any(counts):
            all_of_them, where = list(dict.fromkeys(labels)), f"{pairs[0].where}: " if pairs[0].where else ""
            some = ", ".join(all_of_them[:8]) + (", …" if len(all_of_them) > 8 else "")
            raise UserError(f"{where}neither `{pairs[0].source}` nor `{pairs[0].target}` is one of the labels: {some}")
        turned = counts[0] > counts[1]
    else:
        sources, targets = (len(set(side)) for side in _sides(pairs))
        turned = sources < targets
    return [Pair.of(pair.target, pair.source, pair.where) for pair in pairs] if turned else list(pairs)


def _sides(pairs: Sequence[Pair]) -> tuple[list[str], list[str]]:
    return [pair.source for pair in pairs], [pair.target for pair in pairs]

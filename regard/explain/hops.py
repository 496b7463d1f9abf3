"""Where the hops of a structured summary looked: the text, coloured by each of them.

In the terminal a line a hop, the heaviest words marked; as a page the same with colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from regard.explain.inspection import Piece, by_word
from regard.explain.labels import isolated, label, printable
from regard.explain.map import Array, Map, merge

STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --faint: #666; --shade: 220 38 38; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #16181d; --faint: #a0a4ab; --shade: 248 113 113; }
}
body { font: 16px/1.7 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
  margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.2rem; } th { text-align: right; font-weight: normal; color: var(--faint); padding-right: .75rem;
  white-space: nowrap; vertical-align: top; } td { overflow-wrap: anywhere; }
span.word { background: rgb(var(--shade) / var(--w)); border-radius: .2rem; padding: .1rem .2rem; }
p.note { color: var(--faint); font-size: .875rem; }
"""


@dataclass(frozen=True, eq=False, slots=True)
class Hops:
    """A text, what a classifier thinks of it, and where each of its hops looked."""

    text: str
    pieces: tuple[Piece, ...]
    hops_RS: Array
    probabilities: dict[str, float]

    @property
    def label(self) -> str:
        return max(self.probabilities, key=lambda label: self.probabilities[label])

    def map(self) -> Map:
        """Hops down, words across, and at last the mean of all hops."""
        num_hops = len(self.hops_RS)
        rows = tuple(f"hop {number + 1}" for number in range(num_hops))
        columns = tuple(piece.text for piece in self.pieces)
        words = merge(
            Map(rows, columns, self.hops_RS),
            [(row, [r]) for r, row in enumerate(rows)],
            by_word(self.text, self.pieces),
        )
        mean = words.weights_TS.mean(axis=0, keepdims=True)
        return Map((*rows, "all"), words.columns, np.concatenate([words.weights_TS, mean]))

    def to_json(self) -> dict[str, Any]:
        map_ = self.map()
        return {
            "text": self.text,
            "label": self.label,
            "probabilities": self.probabilities,
            "words": list(map_.columns),
            "hops": [[round(float(w), 5) for w in row] for row in map_.weights_TS[:-1]],
        }


def draw(hops: Hops, *, colour: bool) -> str:
    """A line a hop: each word, and how much the hop looked at it, from 10 % on."""
    map_ = hops.map()
    margin = max(len(row) for row in map_.rows)
    lines = [f"{row:>{margin}}  {_line(map_, number, colour)}" for number, row in enumerate(map_.rows)]
    note = "the stronger its colour, the more a hop looked at a word" if colour else "after a word: how much, in %"
    return "\n".join([*lines, "", note])


def _line(map_: Map, row: int, colour: bool) -> str:
    cells = zip(map_.columns, map_.weights_TS[row].tolist(), strict=True)
    return " ".join(_word(isolated(label(name)), weight, colour) for name, weight in cells)


def _word(name: str, weight: float, colour: bool) -> str:
    if not colour:
        return f"{name}[{100 * weight:.0f}]" if weight >= 0.1 else name
    codes = (
        (0.6, "48;5;196;38;5;16"),
        (0.3, "48;5;202;38;5;16"),
        (0.15, "48;5;130;38;5;255"),
        (0.07, "48;5;52;38;5;255"),
    )
    code = next((code for least, code in codes if weight >= least), None)
    return name if code is None else f"\x1b[{code}m{name}\x1b[0m"


def page(found: Sequence[Hops], *, title: str) -> str:
    """One page without scripts."""
    sections = "\n".join(_section(one) for one in found)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(printable(title))}</title>
<style>{STYLE}</style>
</head>
<body>
<p class="note">The stronger its colour, the more a hop looked at a word; hover for the weight.</p>
{sections}
</body>
</html>
"""


def _section(hops: Hops) -> str:
    map_ = hops.map()
    probabilities = sorted(hops.probabilities.items(), key=lambda item: -item[1])[:5]
    said = " · ".join(f"{escape(printable(name))} {100 * p:.1f} %" for name, p in probabilities)
    rows = "\n".join(
        f'<tr><th scope="row">{escape(row)}</th><td dir="auto">{_words(map_, number)}</td></tr>'
        for number, row in enumerate(map_.rows)
    )
    return f'<h1 dir="auto">{escape(printable(hops.text))}</h1>\n<p>{said}</p>\n<table>{rows}</table>'


def _words(map_: Map, row: int) -> str:
    cells = zip(map_.columns, map_.weights_TS[row].tolist(), strict=True)
    return " ".join(
        f'<span class="word" style="--w:{weight:.3f}" title="{weight:.4f}">{escape(label(name))}</span>'
        for name, weight in cells
    )

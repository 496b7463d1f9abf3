"""Inspections as one HTML page without scripts: it works offline, in light and dark, on a phone."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from regard.explain.inspection import Inspection, worth_merging
from regard.explain.labels import isolated, label, printable
from regard.explain.map import Map

STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --line: #d5d9e0; --faint: #666; --shade: 29 78 216;
  --mark: #c2410c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #16181d; --line: #363b45; --faint: #a0a4ab; --shade: 96 165 250; --mark: #fdba74; }
}
body { font: 16px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 75rem;
  margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1rem; margin: 0; color: var(--faint); font-weight: normal; }
section { border-top: 1px solid var(--line); padding: 1rem 0; }
p { margin: .2rem 0; overflow-wrap: anywhere; } p.note, caption, summary { color: var(--faint); font-size: .875rem; }
caption { text-align: start; padding-bottom: .25rem; white-space: nowrap; }
summary { cursor: pointer; padding: .5rem 0; }
div.map { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; }
th { font-weight: normal; font-size: .875rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
th[scope=col] { vertical-align: bottom; padding: 0; }
th[scope=col] span.long { writing-mode: vertical-rl; max-height: 9rem; overflow: hidden; text-overflow: ellipsis;
  padding: .3rem 0; }
th[scope=row] { position: sticky; left: 0; background: var(--paper); text-align: right; max-width: 9rem;
  padding: 0 .5rem; }
td { border: 1px solid var(--line); width: 1.6rem; min-width: 1.6rem; height: 1.6rem; padding: 0;
  background: rgb(var(--shade) / var(--w)); }
td.top { outline: 2px solid var(--mark); outline-offset: -2px; }
td.logprob { border: 0; background: none; padding: 0 .6rem; text-align: end; font-size: .8125rem;
  font-variant-numeric: tabular-nums; }
"""
ACROSS = {
    None: "Target down, source across.",
    "source": "A source that looked at itself when it was read: each row at the columns.",
    "target": "A text that looked back at itself: each row at what stood before it.",
}
NOTE = "The stronger its colour, the heavier a cell; the heaviest of each row is framed."
NOT_ONE = "The weights of a row need not sum to one: a Gaussian around the point of attention comes after the softmax."


def page(inspections: Iterable[Inspection], *, title: str, layer: int | None = None, head: int | None = None) -> str:
    """The whole page: for each inspection its texts, its map, and on demand the map of its pieces.

    A map for each layer, of the mean of its heads, unless one layer or one head is asked for.
    """
    name = escape(printable(title))
    sections = "\n".join(_section(number, inspection, layer, head) for number, inspection in enumerate(inspections, 1))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<style>{STYLE}</style>
</head>
<body>
<h1 dir="auto">{name}</h1>
<p class="note">{NOTE}</p>
{sections}
</body>
</html>
"""


def _section(number: int, inspection: Inspection, layer: int | None, head: int | None) -> str:
    total = f"{sum(inspection.logprobs):.2f}"
    pieces = _maps(inspection, layer, head, merged=False)
    known = bool(inspection.logprobs)
    if worth_merging(inspection):
        summary = f"By pieces, with the log-probability of each ({total} in all)" if known else "By pieces"
        words = _maps(inspection, layer, head, merged=True)
        maps = f"{words}\n<details><summary>{summary}</summary>\n{pieces}\n</details>"
    else:
        maps = pieces
    return f"""<section>
<h2>{number}{f" · log-probability {total}" if known else ""}</h2>
{_texts(inspection)}
<p class="note">{ACROSS[inspection.itself]}</p>
{maps}{"" if inspection.sums_to_one else f'<p class="note">{NOT_ONE}</p>'}
</section>"""


def _texts(inspection: Inspection) -> str:
    texts = {"source": inspection.source, "target": inspection.target}
    if inspection.itself is not None:
        texts = {inspection.itself: inspection.target}
    return "\n".join(f'<p dir="auto" class="{name}">{escape(printable(text))}</p>' for name, text in texts.items())


def _maps(inspection: Inspection, layer: int | None, head: int | None, *, merged: bool) -> str:
    """A table for each layer."""
    num_layers, num_heads = inspection.weights_LHTS.shape[:2]
    heads = "" if num_heads == 1 else f", mean of {num_heads} heads" if head is None else f", head {head}"
    layers = range(num_layers) if layer is None else [layer]
    captions = [f"Layer {layer}{heads}" if num_layers * num_heads > 1 else "" for layer in layers]
    maps = [inspection.map(merged=merged, layer=layer, head=head) for layer in layers]
    logprobs = None if merged else inspection.logprobs or None
    return "\n".join(_table(map_, caption, logprobs) for map_, caption in zip(maps, captions, strict=True))


def _table(map_: Map, caption: str, logprobs: tuple[float, ...] | None) -> str:
    head = "".join(_column(label(column)) for column in map_.columns)
    if logprobs is not None:
        head += '<th scope="col">log p</th>'
    rows = "\n".join(_row(map_, row, None if logprobs is None else logprobs[row]) for row in range(len(map_.rows)))
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<div class="map"><table>{title}\n<tr><th></th>{head}</tr>\n{rows}\n</table></div>'


def _column(name: str) -> str:
    turned = ' class="long"' if len(name) > 2 else ""
    return f'<th scope="col"><span{turned} dir="auto">{escape(name)}</span></th>'


def _row(map_: Map, row: int, logprob: float | None) -> str:
    name, top = map_.rows[row], map_.heaviest(row)
    cells = "".join(_cell(name, map_.columns[s], float(w), s == top) for s, w in enumerate(map_.weights_TS[row]))
    end = "" if logprob is None else f'<td class="logprob">{logprob:.2f}</td>'
    return f'<tr><th scope="row" dir="auto">{escape(label(name))}</th>{cells}{end}</tr>'


def _cell(row: str, column: str, weight: float, top: bool) -> str:
    mark = ' class="top"' if top else ""
    title = escape(f"{isolated(label(row))} ← {isolated(label(column))}: {weight:.4f}")
    return f'<td{mark} style="--w:{weight:.3f}" title="{title}"></td>'

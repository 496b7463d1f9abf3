"""Length: time and memory of training and of translation as sentences grow, and as the vocabulary does."""

from __future__ import annotations

from conduct import Found, Lost, Peer, Plan, say
from report import table
from shape import SHAPE

WINDOWS = {"everywhere": "global", "local_m": "local-m", "local_p": "local-p"}
SENTENCES = 8  # of a batch, whatever their length


def measure(plan: Plan) -> Found:
    say("length")
    by_length = [
        cell(plan, mode, length, SHAPE.vocabulary, window)
        for length in plan.lengths
        for window in WINDOWS
        for mode in ("train", "translate")
    ]
    by_vocabulary = [
        cell(plan, "train", length, vocabulary, "everywhere")
        for vocabulary in plan.vocabularies
        for length in (100, 400)
    ]
    return {"shape": SHAPE.to_json(), "by_length": by_length, "by_vocabulary": by_vocabulary}


def cell(plan: Plan, mode: str, length: int, vocabulary: int, window: str) -> Found:
    """A process of its own, so that its peak is nobody else's."""
    job = {
        "mode": mode, "length": length, "num_sentences": SENTENCES, "vocabulary": vocabulary, "window": window,
    }  # fmt: skip
    try:
        seconds = min(plan.seconds, 2)
        peer = Peer(
            plan, f"{mode} {window}", "regard", "cell.py", {**job, "shape": SHAPE.to_json(), "seconds": seconds}
        )
        found = peer.go()
        peer.close()
    except Lost as lost:  # too little memory, most likely: a result too
        say(f"  {lost}")
        found = {"lost": True}
    say(f"  {mode} {window}, {SENTENCES} × {length}, vocabulary {vocabulary}: {found}")
    return {**job, **found}


def tables(found: Found) -> str:
    cells = {(one["mode"], one["window"], one["length"]): one for one in found["by_length"]}
    lengths = sorted({length for *_, length in cells})
    parts = []
    for mode, title in (("train", "Training, one update"), ("translate", "Translation, greedy")):
        rows = []
        for length in lengths:
            row = [str(length)]
            for window in WINDOWS:
                one = cells[mode, window, length]
                seconds, peak = shown(one)
                each = f"{1e6 * one['seconds'] / SENTENCES / length:.0f}" if "seconds" in one else "lost"
                row += [seconds, each, peak]
            rows.append(row)
        heads = [f"{name}, {unit}" for name in WINDOWS.values() for unit in ("s", "µs a token", "MB")]
        parts.append(f"{title}, {SENTENCES} sentences:\n\n" + table(["length", *heads], rows))
    rows = []
    for one in found["by_vocabulary"]:
        logits = SENTENCES * one["length"] * one["vocabulary"] * 4 / 2**20
        rows.append([f"{one['vocabulary']:,}", str(one["length"]), f"{logits:.0f}", *shown(one)])
    heads = ["vocabulary", "length", "all logits once, MB", "update, s", "peak, MB"]
    parts.append(f"Training, {SENTENCES} sentences, global:\n\n" + table(heads, rows))
    rest = [one["at_rest"] for one in found["by_length"] if "at_rest" in one]
    parts.append(f"Peaks are of the whole process; it holds {max(rest):.0f} MB before it builds a network.")
    return "\n\n".join(parts)


def shown(one: Found) -> list[str]:
    return [f"{one['seconds']:.2f}", f"{one['megabytes']:.0f}"] if "seconds" in one else ["lost", "lost"]

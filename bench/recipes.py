"""Trains the recipes and measures them on their test sets: `python bench/recipes.py NAME …` (needs REGARD_DATA).

NAME is a recipe, or `bottleneck`: the Multi30k recipe with attention and without, 20 minutes each. Results are small
files under bench/results/recipes/: hypotheses, events, and the figures, from which `python bench/recipes.py table`
writes the table of docs/recipes.md. Runs go to REGARD_RUNS (default: runs/recipes); one that was stopped goes on.
One at a time, nothing beside it.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results" / "recipes"
PAGE = ROOT / "docs" / "recipes.md"
REGARD = [sys.executable, "-m", "regard"]
RUNS = Path(os.environ.get("REGARD_RUNS", ROOT / "runs" / "recipes"))

_MULTI30K = "multi30k/tok/test_2016_flickr.lc.norm.tok.en,multi30k/tok/test_2016_flickr.lc.norm.tok"
TESTS = {  # pairs, and how they are to be read: some come tokenised, some with several references a line
    "multi30k-ende-rnn": (f"{_MULTI30K}.de", "--tokenize", "none"),
    "multi30k-enfr-rnn": (f"{_MULTI30K}.fr", "--tokenize", "none"),
    "multi30k-ende-transformer": (f"{_MULTI30K}.de", "--tokenize", "none"),
    "multi30k-enfr-transformer": (f"{_MULTI30K}.fr", "--tokenize", "none"),
    "multi30k-ende-hybrid": (f"{_MULTI30K}.de", "--tokenize", "none"),
    "cmudict-rnn": ("g2p_cmudict/test.tsv", "--columns", "1,2-"),
    "cmudict-transformer": ("g2p_cmudict/test.tsv", "--columns", "1,2-"),
    "tatoeba-enfr-rnn": ("tatoeba/eng-fra/test.en,tatoeba/eng-fra/test.refs.fr.tsv",),
}
TELLING = ("BLEU", "chrF2")  # of all measures, those that the table shows
TELLING_OF = {"cmudict-rnn": ("WER", "PER"), "cmudict-transformer": ("WER", "PER")}
SEEN = {
    "attention": "all states, by attention",
    "once": "a summary, once",
    "always": "a summary, at every step",
}
WITHOUT = {"once": "model.decoder.wiring.kind=once", "always": "model.decoder.wiring.kind=always"}


def regard(*arguments: str, where: Path | None = None) -> str:
    print("$ regard", *arguments, file=sys.stderr, flush=True)
    return subprocess.run([*REGARD, *arguments], stdout=subprocess.PIPE, text=True, check=True, cwd=where).stdout


def train(recipe: str, out: Path, *options: str) -> float:
    """Train unless the model is there already, or go on where a run was stopped; the seconds that it took in all."""
    took, timings, begun = out / "took.json", out / "timings.jsonl", time.monotonic()
    if took.exists():
        return float(json.loads(took.read_text()))
    before = 0.0
    if timings.exists():
        before = json.loads(timings.read_text().splitlines()[-1])["seconds"]
        regard("train", "--resume", str(out))
    else:
        regard("train", "--settings", str(ROOT / "recipes" / f"{recipe}.toml"), "--out", str(out), *options)
    seconds = before + time.monotonic() - begun
    took.write_text(json.dumps(seconds))
    return seconds


def test_of(recipe: str) -> tuple[str, list[str]]:
    names, *options = TESTS[recipe]
    data = os.environ["REGARD_DATA"]
    return ",".join(f"{data}/{name}" for name in names.split(",")), options


def one(recipe: str) -> dict[str, Any]:
    out = RUNS / recipe
    seconds = train(recipe, out)
    pairs, options = test_of(recipe)
    hypotheses = RESULTS / f"{recipe}.hypotheses.txt"
    found = json.loads(regard("evaluate", str(out), pairs, *options, "--output", str(hypotheses), "--json"))
    greedy = json.loads(regard("evaluate", str(out), pairs, *options, "--beam", "1", "--json"))
    config = json.loads((out / "model" / "config.json").read_text())["training"]
    shutil.copy(out / "events.jsonl", RESULTS / f"{recipe}.events.jsonl")
    return {
        "date": datetime.date.today().isoformat(),
        "minutes": round(seconds / 60, 1),
        "parameters": config["parameters"],
        "steps": config["steps"],
        "measures": found["measures"],
        "greedy": greedy["measures"],
    }


def bottleneck() -> dict[str, Any]:
    """The same recipe with attention, with the summary given once, and with the summary given at every step."""
    recipe = "multi30k-ende-rnn"
    runs = {"attention": RUNS / "bottleneck" / "attention"} | {name: RUNS / "bottleneck" / name for name in WITHOUT}
    seconds = {
        name: train(recipe, out, "--minutes", "20", *(["--set", WITHOUT[name]] if name in WITHOUT else []))
        for name, out in runs.items()
    }
    pairs, options = test_of(recipe)
    against = [option for name in WITHOUT for option in ("--against", name)]
    figure = ROOT / "docs" / "bottleneck.svg"
    shown = ["--by-length", "--figure", str(figure), "--json"]
    for name, out in runs.items():
        file = RESULTS / f"bottleneck.{name}.hypotheses.txt"
        regard("evaluate", str(out), pairs, *options, "--output", str(file))
        shutil.copy(out / "events.jsonl", RESULTS / f"bottleneck.{name}.events.jsonl")
    # by their names alone, which the figure shows
    found = json.loads(regard("evaluate", "attention", pairs, *options, *against, *shown, where=RUNS / "bottleneck"))
    return {"minutes": {name: round(s / 60, 1) for name, s in seconds.items()}, "evaluation": found}


def table() -> str:
    """What each recipe reached, as a table in Markdown."""
    rows = [
        "| recipe | parameters | minutes | when | measure | beam | greedy | signature |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for recipe in TESTS:
        path = RESULTS / f"{recipe}.json"
        if path.exists():
            found = json.loads(path.read_text())
            for ours, greedy in zip(found["measures"], found["greedy"], strict=True):
                if ours["name"] not in TELLING_OF.get(recipe, TELLING):
                    continue
                signature = ours["signature"].replace("|", "\\|")
                rows.append(
                    f"| {recipe} | {found['parameters']:,} | {found['minutes']} | {found['date']} | {ours['name']} "
                    f"| {ours['value']:.2f} | {greedy['value']:.2f} | `{signature}` |"
                )
    return "\n".join(rows)


def bottleneck_table() -> str:
    """The three of the bottleneck, and how sure it is that attention is ahead."""
    path = RESULTS / "bottleneck.json"
    if not path.exists():
        return ""
    found = json.loads(path.read_text())
    systems = [found["evaluation"], *found["evaluation"]["against"]]
    rows = [
        "| the decoder sees | minutes | BLEU | attention is ahead by | 95 % interval | p |",
        "|---|---|---|---|---|---|",
    ]
    for name, one in zip(found["minutes"], systems, strict=True):
        bleu = one["measures"][0]["value"]
        behind = one["differences"][0] if "differences" in one else None
        ahead = (
            f"{behind['a'] - behind['b']:.2f} | {behind['low']:.2f} to {behind['high']:.2f} | {behind['p']:.3f}"
            if behind
            else " | | "
        )
        rows.append(f"| {SEEN[name]} | {found['minutes'][name]} | {bleu:.2f} | {ahead} |")
    return "\n".join(rows)


def write_page() -> None:
    """Put the tables between their marks in docs/recipes.md."""
    page = PAGE.read_text(encoding="utf-8")
    for mark, text in (("table", table()), ("bottleneck", bottleneck_table())):
        before, _, rest = page.partition(f"<!-- {mark} -->")
        _, _, after = rest.partition(f"<!-- end of {mark} -->")
        page = f"{before}<!-- {mark} -->\n{text}\n<!-- end of {mark} -->{after}"
    PAGE.write_text(page, encoding="utf-8")


def main() -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or [*TESTS, "bottleneck", "table"]:
        if name == "table":
            write_page()
            continue
        if "REGARD_DATA" not in os.environ:
            sys.exit("bench/recipes.py: REGARD_DATA is not set: it names the directory of the data (docs/recipes.md)")
        if name not in (*TESTS, "bottleneck"):
            sys.exit(f"bench/recipes.py: {name}: is not one of {', '.join(TESTS)}, bottleneck, table")
        found = bottleneck() if name == "bottleneck" else one(name)
        text = json.dumps(found, indent=2, ensure_ascii=False)
        (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(text, flush=True)


if __name__ == "__main__":
    main()

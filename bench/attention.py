"""What self-attention and its relatives reach: `python bench/attention.py NAME …` (needs REGARD_DATA)

NAME is one of
    ladder        Multi30k en→de, 20 minutes for each step from no attention to the Transformer
    shakespeare   language models, 10 minutes each: recurrent, with attention to its past, Transformer
    trec, sst     classifiers: structured self-attention, with and without its penalty
    scan, babi    commands to actions, and stories with questions to answers
    pictures      digits in pictures to text
    decoding      sentences a second, beam 5, of the Transformer and of the hybrid, in turn (their recipes come first)
    table         writes the tables of docs/attention.md from what was measured
Results are small files under bench/results/attention/, written row by row: what is there already is not measured again
(remove it, and it is). Runs go to REGARD_RUNS (default: runs/attention). One at a time, nothing beside it.
"""

from __future__ import annotations

import datetime
import gzip
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results" / "attention"
PAGE = ROOT / "docs" / "attention.md"
RUNS = Path(os.environ.get("REGARD_RUNS", ROOT / "runs" / "attention"))
REGARD = [sys.executable, "-m", "regard"]
SEEDS = (1, 2, 3, 4, 5)
Row = dict[str, Any]
Rows = Iterator[tuple[str, Callable[[], Row]]]  # what each row is called, and what measures it
BABI = {1: "qa1_single-supporting-fact", 2: "qa2_two-supporting-facts", 6: "qa6_yes-no-questions"}
BABI_LONGEST = 10_000  # characters: no story is too long
SCAN_LONGEST = 64  # tokens; the longest action sequence has 48

_TRANSFORMER = {"kind": "transformer", "size": 128, "num_layers": 4, "num_heads": 4, "feedforward": 256, "dropout": 0.3}
_ATTENTION = {"kind": "attention", "size": 256, "num_layers": 2, "num_heads": 4, "dropout": 0.3}
# what each step changes in the recipe, which attends after the cell and feeds back
LADDER: dict[str, dict[str, Any]] = {
    "once": {"model.decoder.wiring": {"kind": "once"}},
    "always": {"model.decoder.wiring": {"kind": "always"}},
    "additive before the cell": {
        "model.decoder.wiring": {"kind": "before", "score": {"kind": "additive", "size": 160}}
    },
    "dot after the cell": {
        "model.decoder.size": 512,
        "model.decoder.wiring": {"kind": "after", "score": {"kind": "dot"}, "feed": False},
    },
    "additive after the cell, fed back": {},
    "attention alone reads, no positions": {"model.encoder": {**_ATTENTION, "positions": {"kind": "none"}}},
    "attention alone reads": {"model.encoder": _ATTENTION},
    "a Transformer reads": {"model.encoder": _TRANSFORMER},
    "a Transformer reads, an SSRU writes": {
        "model.encoder": _TRANSFORMER,
        "model.decoder": {**_TRANSFORMER, "past": {"kind": "ssru"}},
    },
    "Transformer": {"model.encoder": _TRANSFORMER, "model.decoder": _TRANSFORMER},
}


# language models of like size: what each changes in the recipe, which is the Transformer
_LSTM = {"kind": "rnn", "cell": "lstm", "num_layers": 1, "dropout": 0.1}
_PAST = {"kind": "past", "score": {"kind": "scaled_bilinear"}}
WRITERS: dict[str, dict[str, Any]] = {
    "recurrent": {"model.trunk": {**_LSTM, "size": 320}},
    "recurrent, attention to its past": {"model.trunk": {**_LSTM, "size": 288, "attention": _PAST}},
    "Transformer": {},
}


def regard(*arguments: str) -> str:
    print("$ regard", *arguments, file=sys.stderr, flush=True)
    return subprocess.run([*REGARD, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def sets(settings: dict[str, Any]) -> list[str]:
    """--set a.b=c for each setting; a table becomes one option for each of its leaves, its kind first."""
    options: list[str] = []

    def walk(path: str, value: Any) -> None:
        if isinstance(value, dict):
            for name in sorted(value, key=lambda name: name != "kind"):
                walk(f"{path}.{name}", value[name])
        else:
            options.extend(["--set", f"{path}={str(value).lower() if isinstance(value, bool) else value}"])

    for path, value in settings.items():
        walk(path, value)
    return options


def train(name: str, *options: str) -> Path:
    """A run of this name, trained unless it is there: by the same options and the same recipe."""
    out, took = RUNS / name, RUNS / name / "took.json"
    recipe = options[options.index("--settings") + 1] if "--settings" in options else None
    asked = {"options": list(options), "recipe": Path(recipe).read_text(encoding="utf-8") if recipe else None}
    if took.exists():
        if {**asked, "seconds": 0} != {**json.loads(took.read_text(encoding="utf-8")), "seconds": 0}:
            sys.exit(f"bench/attention.py: {out}: was trained with other settings; remove it, and it is trained again")
        return out
    begun = time.monotonic()
    regard("train", "--out", str(out), *(["--overwrite"] if out.exists() else []), *options)
    took.write_text(json.dumps({**asked, "seconds": time.monotonic() - begun}), encoding="utf-8")
    return out


def facts(run: Path) -> Row:
    config = json.loads((run / "model" / "config.json").read_text(encoding="utf-8"))
    seconds = json.loads((run / "took.json").read_text(encoding="utf-8"))
    return {
        "date": datetime.date.today().isoformat(),
        "parameters": config["training"]["parameters"],
        "steps": config["training"]["steps"],
        "minutes": round((seconds["seconds"] if isinstance(seconds, dict) else seconds) / 60, 1),
        "validation": config["measures"],
    }


def evaluated(run: Path, pairs: str, *options: str) -> Row:
    """The measures of a run on its test, and how they were computed."""
    found = json.loads(regard("evaluate", str(run), pairs, *options, "--json"))["measures"]
    return {
        "test": {measure["name"]: measure["value"] for measure in found},
        "signatures": {measure["name"]: measure["signature"] for measure in found},
    }


def data(name: str) -> str:
    return ",".join(f"{os.environ['REGARD_DATA']}/{part}" for part in name.split(","))


def mean(values: list[float]) -> dict[str, Any]:
    return {"mean": statistics.mean(values), "deviation": statistics.stdev(values), "values": values}


def ladder() -> Rows:
    for number, (name, settings) in enumerate(LADDER.items(), start=1):
        yield name, partial(rung, number, settings)


def rung(number: int, settings: dict[str, Any]) -> Row:
    test = data("multi30k/tok/test_2016_flickr.lc.norm.tok.en,multi30k/tok/test_2016_flickr.lc.norm.tok.de")
    recipe = str(ROOT / "recipes" / "multi30k-ende-rnn.toml")
    run = train(f"ladder-{number:02d}", "--settings", recipe, "--minutes", "20", *sets(settings))
    return {**facts(run), "settings": settings, **evaluated(run, test, "--tokenize", "none")}


def shakespeare() -> Rows:
    for number, (name, settings) in enumerate(WRITERS.items(), start=1):
        yield name, partial(writer, number, settings)


def writer(number: int, settings: dict[str, Any]) -> Row:
    text = gzip.decompress(Path(data("lm/tinyshakespeare.txt.gz")).read_bytes()).decode()
    cut = len(text) * 9 // 10
    place = RUNS / "shakespeare"
    place.mkdir(parents=True, exist_ok=True)
    (place / "train.txt").write_text(text[:cut], encoding="utf-8")
    (place / "test.txt").write_text(text[cut:], encoding="utf-8")
    recipe = ["--settings", str(ROOT / "recipes" / "shakespeare.toml"), "--set", f"data.train={place / 'train.txt'}"]
    run = train(f"shakespeare/{number}", *recipe, *sets(settings))
    sample = regard("generate", str(run), "ROMEO:", "--length", "300", "--temperature", "0.8")
    return {**facts(run), **evaluated(run, str(place / "test.txt")), "sample": sample}


def overlap_of(run: Path, texts: list[str]) -> float:
    """The mean over texts of how much two hops look at the same places."""
    import torch

    import regard as library
    from regard.nn.summaries.structured import overlap

    model = library.load(run)
    found = model.task.label(model.task.sources(texts))  # type: ignore[attr-defined]
    return float(statistics.mean(overlap(torch.from_numpy(one.hops_RS)[None]).item() for one in found))


def trec() -> Rows:
    for name, penalty in (("with the penalty", 1.0), ("without", 0.0)):
        yield name, partial(questions, penalty)


def questions(penalty: float) -> Row:
    test = data("classification/trec.test.tsv")
    texts = [line.split("\t", 1)[1] for line in Path(test).read_text(encoding="utf-8").splitlines()]
    runs = [
        train(
            f"trec-{'with' if penalty else 'without'}-{seed}",
            *("--settings", str(ROOT / "recipes" / "trec.toml"), "--seed", str(seed)),
            *("--set", f"model.encoder.summary.penalty={penalty}"),
        )
        for seed in SEEDS
    ]
    return {
        **facts(runs[0]),
        "accuracy": mean([evaluated(run, test)["test"]["accuracy"] for run in runs]),
        "overlap": mean([overlap_of(run, texts) for run in runs]),
    }


def sst() -> Rows:
    yield "SST-2", reviews


def reviews() -> Row:
    run = train(
        "sst",
        *("--settings", str(ROOT / "recipes" / "trec.toml"), "--minutes", "4"),
        *("--set", f"data.train={data('classification/sst_binary.train.tsv')}"),
        *("--set", f"data.valid={data('classification/sst_binary.dev.tsv')}"),
    )
    return {**facts(run), **evaluated(run, data("classification/sst_binary.test.tsv"))}


def scan() -> Rows:
    for split in ("simple", "length", "addprim_jump"):
        for family, preset in (("recurrent", "small"), ("Transformer", "transformer-small")):
            yield f"{split}, {family}", partial(commands, split, family, preset)


def commands(split: str, family: str, preset: str) -> Row:
    run = train(
        f"scan-{split}-{family}",
        *(data(f"scan/{split}.train.tsv.gz"), "--preset", preset, "--minutes", "6"),
        *("--set", "text.source.kind=word", "--set", "text.target.kind=word"),
    )
    suffix = "" if split == "simple" else ".gz"
    # outputs of the test may be longer than any in training: what could not be said could not be right
    long = ["--set", f"max_length={SCAN_LONGEST}"]
    return {**facts(run), **evaluated(run, data(f"scan/{split}.test.tsv{suffix}"), "--beam", "1", *long)}


def babi() -> Rows:
    for task in BABI:
        for kind, wiring in (("with attention", "before"), ("without", "once")):
            yield f"task {task}, {kind}", partial(stories, task, wiring)


def stories(task: int, wiring: str) -> Row:
    runs = [
        train(
            f"babi-{task}-{wiring}-{seed}",
            *(data(f"babi/seq2seq/{BABI[task]}.train.tsv"), "--preset", "small", "--minutes", "2"),
            *("--seed", str(seed), "--set", f"model.decoder.wiring.kind={wiring}"),
            *("--set", "text.source.kind=word", "--set", "text.target.kind=word"),
            *("--set", "train.batch_tokens=1024", "--set", f"data.filter.max_length={BABI_LONGEST}"),
        )
        for seed in SEEDS[:3]
    ]
    test = data(f"babi/seq2seq/{BABI[task]}.test.tsv")
    return {**facts(runs[0]), "accuracy": mean([evaluated(run, test, "--beam", "1")["test"]["exact"] for run in runs])}


def pictures() -> Rows:
    for encoder in ("conv", "patches"):
        yield encoder, partial(digits, encoder)


def digits(encoder: str) -> Row:
    import regard as library
    from regard.text.readers import read

    place = RUNS / "digits"
    if not (place / "test.tsv").exists():
        regard("data", "make", "digits", "--out", str(place))
    run = train(
        f"pictures-{encoder}",
        *(str(place / "train.tsv"), "--valid", str(place / "valid.tsv"), "--preset", "image-small", "--minutes", "10"),
        *("--set", f"model.encoder.kind={encoder}"),
    )
    model = library.load(run)
    paths = [str(place / pair.source) for pair in read(str(place / "test.tsv"))]
    seen = [model.inspect(path) for path in paths]
    # the last piece is the end, which may be looked for anywhere
    rising = [one.centres()[:-1] for one in seen]
    moves = [all(a < b for a, b in pairwise(some)) for some in rising if len(some) > 1]
    longest = max(range(len(paths)), key=lambda number: len(rising[number]))
    regard("inspect", str(run), paths[longest], "--png", str(ROOT / "docs" / f"picture-{encoder}.png"))
    return {
        **facts(run),
        **evaluated(run, str(place / "test.tsv")),
        "left to right": 100 * statistics.mean(moves),
        "pictures of two characters or more": len(moves),
    }


def decoding() -> Rows:
    for name in ("multi30k-ende-transformer", "multi30k-ende-hybrid"):
        yield name, partial(rate, name)


def rate(name: str) -> Row:
    return rates()[name]


@cache
def rates() -> dict[str, Row]:
    """Each model in turn, both cores."""
    import regard as library

    place = Path(os.environ.get("REGARD_RUNS", ROOT / "runs" / "recipes"))
    models = {name: library.load(place / name) for name, _ in decoding()}
    test = data("multi30k/tok/test_2016_flickr.lc.norm.tok.en,multi30k/tok/test_2016_flickr.lc.norm.tok.de")
    texts = Path(test.split(",")[0]).read_text(encoding="utf-8").splitlines()
    found: dict[str, list[float]] = {name: [] for name in models}
    for turn in range(6):
        for name, model in models.items():
            begun = time.monotonic()
            model.translate(texts, beam=5)
            if turn:  # the first time of anything is slow
                found[name].append(len(texts) / (time.monotonic() - begun))
    return {
        name: {
            **facts(place / name),
            **evaluated(place / name, test, "--tokenize", "none", "--beam", "5"),
            "sentences a second": statistics.median(some),
            "all": some,
        }
        for name, some in found.items()
    }


def table() -> None:
    """Put what was measured between its marks in docs/attention.md."""
    page = PAGE.read_text(encoding="utf-8")
    for file in sorted(RESULTS.glob("*.json")):
        begin, end = f"<!-- {file.stem} -->", f"<!-- end of {file.stem} -->"
        if begin in page:
            before, _, rest = page.partition(begin)
            _, _, after = rest.partition(end)
            page = f"{before}{begin}\n{rows(json.loads(file.read_text()))}\n{end}{after}"
    PAGE.write_text(page, encoding="utf-8")


def rows(found: dict[str, dict[str, Any]]) -> str:
    """A row a variant: its parameters and minutes, and whatever was measured on the test set."""
    measured = [
        {
            **one.get("test", {}),
            **{name: value for name, value in one.items() if name != "minutes" and _is_measure(value)},
        }
        for one in found.values()
    ]
    names = list(dict.fromkeys(name for one in measured for name in one))
    lines = ["| | parameters | minutes | steps | " + " | ".join(names) + " |", "|---" * (4 + len(names)) + "|"]
    for (name, one), values in zip(found.items(), measured, strict=True):
        cells = [_shown(values.get(measure)) for measure in names]
        said = f"{one['parameters']:,} | {one['minutes']} | {one['steps']:,}"
        lines.append(f"| {name} | {said} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _is_measure(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, dict) and "mean" in value)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['mean']:.2f} ± {value['deviation']:.2f}"
    return "" if value is None else f"{value:.2f}"


PARTS: dict[str, Callable[[], Rows]] = {
    "ladder": ladder,
    "shakespeare": shakespeare,
    "trec": trec,
    "sst": sst,
    "scan": scan,
    "babi": babi,
    "pictures": pictures,
    "decoding": decoding,
}


def main() -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or [*PARTS, "table"]:
        if name == "table":
            table()
            continue
        if name not in PARTS:
            sys.exit(f"bench/attention.py: {name}: is not one of {', '.join(PARTS)}, table")
        if name != "pictures" and "REGARD_DATA" not in os.environ:
            sys.exit("bench/attention.py: REGARD_DATA is not set: it names the directory of the data (docs/recipes.md)")
        file = RESULTS / f"{name}.json"
        found: dict[str, Row] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        if name == "decoding" and not all(row in found for row, _ in decoding()):
            found = {}  # in turn, or not at all
        for row, measure in PARTS[name]():
            if row not in found:
                found[row] = measure()
                print(row, json.dumps(found[row], ensure_ascii=False), flush=True)
                in_order = {row: found[row] for row, _ in PARTS[name]() if row in found}
                text = json.dumps(in_order, indent=2, ensure_ascii=False)
                file.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""What a person can do wrong is answered with exit code 2 and exactly one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FILES = {
    "good.tsv": b"ab c\tc ba\n",
    "column.tsv": b"a\tb\nonly one\n",
    "empty.tsv": b"",
    "latin.tsv": b"a\tb\n\xe9t\xe9\tsummer\n",
    "latin.txt": b"\xe9t\xe9\n",
    "bad.align": b"0:0\n",
    "outside.align": b"0-7\n",
    "short.align": b"",
    "long.align": b"0-" + b"1" * 5000,
}
CASES = [
    ("evaluate MODEL missing.tsv", "missing.tsv: cannot be read: No such file or directory"),
    ("evaluate MODEL .", ".: is a directory, and pairs are in files"),
    ("evaluate MODEL missing", "missing: there is no such file"),
    ("evaluate MODEL bad.align", "bad.align: its name does not say what it holds"),
    (
        "evaluate MODEL good.tsv --columns 1,x",
        "--columns 1,x: give the numbers of the columns or their names",
    ),
    ("train good.tsv --out run --steps 1e3", "'1e3' is not a valid whole number"),
    (
        "train good.tsv --out run --set model.decoder.wiring.kind=once --set model.decoder.wiring.score=1",
        "there is no setting `model.decoder.wiring.score`: `once` has no settings of its own",
    ),
    ("evaluate MODEL column.tsv", "column.tsv:2: has one column, expected two separated by a tab"),
    ("evaluate MODEL empty.tsv", "empty.tsv: has no pairs"),
    ("evaluate MODEL latin.tsv", "latin.tsv:2: is not UTF-8"),
    ("evaluate MODEL good.tsv --columns 1,9", "good.tsv:1: has 2 columns"),
    ("evaluate MODEL good.tsv --format tvs", "--format tvs: is not one of tsv, csv, jsonl; did you mean `tsv`?"),
    ("evaluate MODEL good.tsv --alignments bad.align", "bad.align:1: '0:0' is not a link"),
    ("evaluate MODEL good.tsv --alignments outside.align", "outside.align:1: link 0-7 lies outside its pair"),
    ("evaluate MODEL good.tsv --alignments short.align", "short.align: has 0 lines for 1 pairs"),
    ("evaluate MODEL good.tsv --tokenize 13b", "'13b' is not one of"),
    ("evaluate MODEL good.tsv --output .", "'--output': File '.' is a directory"),
    ("evaluate . good.tsv", ".: is not a model"),
    ("evaluate MODEL good.tsv --against missing", "Path 'missing' does not exist"),
    ("evaluate MODEL good.tsv --against .", ".: is not a model"),
    ("evaluate MODEL good.tsv --against column.tsv", "column.tsv: has 2 lines for the 1 pairs of good.tsv"),
    ("evaluate MODEL good.tsv --against latin.txt", "latin.txt:1: is not UTF-8"),
    ("evaluate MODEL good.tsv" + 26 * " --against good.tsv", "--against: 26 systems are too many"),
    ("evaluate MODEL good.tsv --figure x.jpg", "x.jpg: give it a name that ends in .svg or .png"),
    ("evaluate MODEL good.tsv --figure good.tsv/x.svg", "good.tsv/x.svg: cannot be written"),
    ("score MODEL column.tsv", "column.tsv:2: has one column"),
    ("score MODEL empty.tsv", "empty.tsv: has no pairs"),
    ("score . good.tsv", ".: is not a model"),
    ("translate MODEL missing.txt", "File 'missing.txt' does not exist"),
    ("translate MODEL latin.txt", "latin.txt:1: is not UTF-8"),
    ("translate . good.tsv", ".: is not a model"),
    ("translate good.tsv", "Directory 'good.tsv' is a file"),
    ("translate MODEL --beam 0", "0 is not in the range x>=1"),
    ("translate MODEL --beam 2 --sample", "--beam and --sample are two ways to search: choose one"),
    ("translate MODEL --beam 2 --set kind=greedy", "--beam 2 and kind=greedy are two ways to search: choose one"),
    ("translate MODEL --top-k 3", "--top-k is for drawing outputs at random: add --sample"),
    ("translate MODEL --sample --temperature 0", "'--temperature': 0.0 is not in the range 0.001<=x<=1000"),
    ("translate MODEL --sample --temperature inf", "'--temperature': inf is not in the range 0.001<=x<=1000"),
    ("translate MODEL --sample --top-p 2", "'--top-p': 2.0 is not in the range 0<x<=1"),
    ("translate MODEL --sample --top-k -1", "'--top-k': -1 is not in the range x>=0"),
    ("translate MODEL --set coverage=inf", "search: coverage: expected `float` <= 1000"),
    ("translate MODEL --set margin=inf", "search: margin = inf: expected a finite number"),
    ("translate MODEL --set max_length=99999999999999999999", "expected a number of at most 9,007,199,254,740,992"),
    ("translate MODEL --beam 99999999999999999999", "99999999999999999999 is more than 9,007,199,254,740,992"),
    ("translate MODEL --set alpha=1", "alpha = 1.0: is the exponent of gnmt, and lengths are normalised by `average`"),
    ("evaluate MODEL good.tsv --output good.tsv/x", "good.tsv/x: cannot be written"),
    ("evaluate MODEL good.tsv --alignments long.align", "is not a link"),
    ("translate MODEL --set widht=3", "search: there is no setting `widht`; did you mean `width`?"),
    (
        "translate MODEL --set kind=beem",
        "search: kind = 'beem' is not one of greedy, beam, sample; did you mean `beam`?",
    ),
    ("translate MODEL --set width", "--set width: expected NAME=VALUE, for example width=10"),
    ("translate MODEL --nbest 2", "--nbest does not fit on a line of text: add --json"),
    ("translate MODEL --attention", "--attention does not fit on a line of text: add --json"),
    ("translate MODEL --json --nbest 9 --beam 2", "a beam of width 2 cannot give 9 hypotheses"),
    ("translate MODEL --prefix \udcff", "'--prefix': is not UTF-8"),
    ("translate MODEL --device meta", "--device meta: cannot be used here"),
    ("translate MODEL --device tpu9", "--device tpu9: cannot be used here"),
    ("inspect MODEL ab --png map.jpg", "map.jpg: give it a name that ends in .png"),
    ("inspect MODEL ab --html good.tsv/x.html", "good.tsv/x.html: cannot be written"),
    ("inspect MODEL ab --target ba --beam 2", "--beam: there is nothing to search for if --target is given"),
    ("inspect MODEL \udcff", "'TEXT': is not UTF-8"),
    ("inspect . ab", ".: is not a model"),
    ("info .", ".: is not a model"),
    ("info MODEL/model --png x.png", "there is no events.jsonl to draw curves from"),
    ("data mkae", "'mkae'"),
    ("data make revrese --out x", "revrese: is not one of"),
    ("data make reverse", "missing option '--out'"),
    ("data make reverse --out x --length three", "three is neither a number nor a range such as 3-8"),
    ("data make reverse --out x --length 5-3", "--length 5-3: must be two numbers from 1 to 1000"),
    ("data make reverse --out x --length 0", "--length 0-0: must be two numbers from 1 to 1000"),
    ("data make reverse --out x --size 0", "0 is not in the range x>=1"),
    ("data make reverse --out .", ".: already exists and is not an empty directory"),
    ("data make reverse --out good.tsv/x", "good.tsv/x: cannot be written"),
]


@pytest.mark.parametrize(("line", "said"), CASES, ids=[line for line, _ in CASES])
def test_errors_are_one_line(
    command: Callable, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_bytes(content)
    ended = command(*(word.replace("MODEL", str(trained)) for word in line.split(" ")))
    assert ended.code == 2
    assert ended.err.startswith("regard: error: ")
    assert said in ended.err
    assert ended.err.count("\n") == 1 and ended.err.endswith("\n")
    assert "Traceback" not in ended.err

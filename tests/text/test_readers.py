"""Every reader gives pairs, or a UserError of one line with file and line."""

from __future__ import annotations

import gzip
import io
import lzma
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from regard.errors import UserError
from regard.text.pair import Pair
from regard.text.readers import FORMATS, SUFFIXES, read, read_lines

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}

# what no reader may break: other kinds of line ends, NUL, quotes and commas, a scarf of marks and scripts
SENTENCES = [("a b", "c"), ("un\u2028deux\x0b\x85", "\x00x\x1c"), ('say "hi, you"', "l'été, naïve"), (" 你好 ", "👋🏽")]
QUOTED = ['"{}"'.format(text.replace('"', '""')) for pair in SENTENCES for text in pair]
PLAIN = {
    "tsv": "".join(f"{source}\t{target}\n" for source, target in SENTENCES),
    "csv": "".join(f"{QUOTED[i]},{QUOTED[i + 1]}\n" for i in range(0, len(QUOTED), 2)),
    "jsonl": '{"source": "a b", "target": "c"}\n'
    '{"source": "un\u2028deux\\u000b\x85", "target": "\\u0000x\\u001c"}\n'
    '{"target": "l\'été, na\\u00efve", "source": "say \\"hi, you\\""}\n'
    '{"source": " 你好 ", "target": "\\ud83d\\udc4b\\ud83c\\udffd", "id": 7}\n',
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def sides(pairs: Iterable[Pair]) -> list[tuple[str, str]]:
    return [(pair.source, pair.target) for pair in pairs]


def refusal(spec: str, columns: str | None = None, format: str | None = None) -> str:
    """The message of the UserError that reading ends with."""
    with pytest.raises(UserError) as error:
        list(read(spec, columns=columns, format=format))
    message = str(error.value)
    assert "\n" not in message
    return message


def test_every_format_has_a_suffix_and_is_tested() -> None:
    assert set(FORMATS) == set(SUFFIXES.values()) == set(PLAIN)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("suffix", [*SUFFIXES, ".txt", ".TSV"])
def test_every_format_gives_the_same_pairs(suffix: str, compression: str) -> None:
    plain = PLAIN[SUFFIXES.get(suffix, "tsv")]
    variants = {
        "plain": plain,
        "crlf": plain.replace("\n", "\r\n"),
        "bom": "\ufeff" + plain,
        "no last line end": plain.rstrip("\n"),
        "empty lines": plain.replace("\n", "\n\n"),
    }
    for variant, text in variants.items():
        name = put(f"train{suffix}{compression}", COMPRESSIONS[compression](text.encode()))
        pairs = list(read(name))
        assert sides(pairs) == SENTENCES, variant
        step = 2 if variant == "empty lines" else 1
        assert [pair.where for pair in pairs] == [f"{name}:{1 + step * i}" for i in range(len(SENTENCES))]
        assert all(pair.references == (pair.target,) for pair in pairs)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("buffered", [True, False])
def test_standard_input(format: str, compression: str, buffered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO(COMPRESSIONS[compression](PLAIN[format].encode()))
    buffer = io.BufferedReader(stream) if buffered else stream
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(buffer))
    pairs = list(read("-", format=None if format == "tsv" else format))
    assert sides(pairs) == SENTENCES
    assert pairs[0].where == "stdin:1"


@pytest.mark.parametrize("format", FORMATS)
def test_compression_and_format_need_no_name(format: str) -> None:
    for compress in COMPRESSIONS.values():
        name = put("unnamed", compress(PLAIN[format].encode()))
        assert sides(read(name, format=format)) == SENTENCES
        assert all(word in refusal(name) for word in ["unnamed: ", "--format", *FORMATS])
    assert "did you mean `jsonl`" in refusal("unnamed", format="json")


@pytest.mark.parametrize("format", [*FORMATS, "parallel"])
def test_broken_files(format: str) -> None:
    """What no reader can read is refused by name, however the pairs are written."""
    name = f"x.{format}" if format in FORMATS else "x.en"
    spec = name if format in FORMATS else f"{put('x.fr', '')},x.en"
    plain = PLAIN.get(format, "a\nb\n") * 500
    for label, compress in COMPRESSIONS.items():
        data = compress(plain.encode())
        if label:
            for broken in data[: len(data) // 2], data[:12] + bytes(len(data) - 12):
                put(name, broken)
                assert f"{name}: its compressed data is broken" in refusal(spec)
        put(name, compress(plain.encode() + b"caf\xe9"))
        number = plain.count("\n") + 1
        assert f"{name}:{number}: is not UTF-8 (byte 4 " in refusal(spec)
    put(name, "")
    assert refusal(spec) == f"{spec}: has no pairs"
    put(name, "\ufeff\n\n\n")
    assert refusal(spec).startswith(f"{name}: has no pairs" if format in FORMATS else "x.fr has 0 lines, x.en has 3: ")
    Path(name).unlink()
    assert f"{name}: cannot be read: No such file" in refusal(spec)
    Path(name).mkdir()
    assert f"{name}: cannot be read: Is a directory" in refusal(spec)


def test_tsv_has_no_quoting_and_lines_end_at_newline_only() -> None:
    put("x.tsv", '"a\t"b" \r x\r\n\\t\t\n')
    assert sides(read("x.tsv")) == [('"a', '"b" \r x'), ("\\t", "")]


def test_csv_quotes_newlines_and_tabs() -> None:
    put("x.csv", '"a\nb","c,d"\n\n"tab\t",""\nx,"""q"""')
    pairs = list(read("x.csv"))
    assert sides(pairs) == [("a\nb", "c,d"), ("tab\t", ""), ("x", '"q"')]
    assert [pair.where for pair in pairs] == ["x.csv:1", "x.csv:4", "x.csv:5"]
    for broken in '"open,x\n', '"a" b,x\n', "a\rb,x\n", '"' + "long\n" * 40_000:
        put("x.csv", "fine,fine\n" + broken + "a,b\n")
        assert refusal("x.csv").startswith("x.csv:2: is not CSV: ")


@pytest.mark.parametrize(("format", "tab"), [("tsv", "\t"), ("csv", ",")])
def test_columns(format: str, tab: str) -> None:
    def references(columns: str | None) -> list[tuple[str, tuple[str, ...]]]:
        return [(pair.source, pair.references) for pair in read(name, columns=columns)]

    name = put(f"x.{format}", "a\tb\tc\nd\te\te\t\tf\n".replace("\t", tab))
    assert references("1,2") == [("a", ("b",)), ("d", ("e",))]
    assert references("2, 1") == [("b", ("a",)), ("e", ("d",))]
    assert references("1,3,2") == [("a", ("c", "b")), ("d", ("e",))]
    assert references("1,2-") == [("a", ("b", "c")), ("d", ("e", "f"))]
    assert references("1,1") == [("a", ("a",)), ("d", ("d",))]
    assert refusal(name).startswith(f"{name}:1: has 3 columns, expected two: choose with --columns 1,2 (or 1,2- ")
    assert f"{name}:1: has 3 columns" in refusal(name, "1,4")
    assert "--columns 1,4 needs 4" in refusal(name, "1,4")

    put(name, "a\tb\nalone\n".replace("\t", tab))
    separator = "tab" if format == "tsv" else "comma"
    assert refusal(name) == f"{name}:2: has one column, expected two separated by a {separator}"
    assert f"{name}:2: has 1 column separated" in refusal(name, "1,2-")


@pytest.mark.parametrize(("format", "tab"), [("tsv", "\t"), ("csv", ",")])
def test_headers(format: str, tab: str) -> None:
    name = put(f"x.{format}", "id\ten\tfr\n1\tdog\tchien\n".replace("\t", tab))
    assert sides(read(name, columns="en,fr")) == [("dog", "chien")]
    assert sides(read(name, columns="fr,en")) == [("chien", "dog")]
    assert next(read(name, columns="fr,en,id")).references == ("dog", "1")
    assert sides(read(name, columns="2,3")) == [("en", "fr"), ("dog", "chien")]
    assert refusal(name, "en,french").startswith(f"{name}:1: has no column `french`")
    put(name, "Source\tTARGET\nsource\ttarget\n".replace("\t", tab))
    assert sides(read(name)) == [("source", "target")]
    assert sides(read(name, columns="2,1")) == [("target", "source")]
    put(name, "target\tsource\na\tb\n".replace("\t", tab))
    assert sides(read(name)) == [("b", "a")]
    assert sides(read(name, columns="1,2")) == [("a", "b")]
    put(name, "id\tSentence\tlabel\n1\ta film\tgood\n".replace("\t", tab))
    assert sides(read(name, columns="2,3")) == [("a film", "good")]
    put(name, "sentence\tphrase\na\tb\n".replace("\t", tab))
    assert sides(read(name)) == [("sentence", "phrase"), ("a", "b")], "words like others"
    put(name, "source\ttarget\n".replace("\t", tab))
    assert refusal(name) == f"{name}: has no pairs"


@pytest.mark.parametrize("columns", ["", "1", "1,", ",", "en", "0,1", "1,0", "1-", "1-2", "2,1-", "2,2-", "1 2,3"])
def test_impossible_columns(columns: str) -> None:
    assert refusal(put("x.tsv", "a\tb\n"), columns).startswith(f"--columns {columns}: ")


def test_jsonl_references_and_keys() -> None:
    put("x.jsonl", '{"source": "a", "target": "b", "references": ["c", "b", "d"]}\n{"source": "", "target": ""}')
    assert list(read("x.jsonl")) == [Pair("a", "b", ("b", "c", "d"), "x.jsonl:1"), Pair.of("", "", "x.jsonl:2")]
    put("x.jsonl", '{"en": "a", "pt-br": "b", "fr": "c"}')
    assert list(read("x.jsonl", columns="en,pt-br,fr")) == [Pair("a", "b", ("b", "c"), "x.jsonl:1")]
    assert 'has no key "de"' in refusal("x.jsonl", "en,de")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is not JSON: "),
        ("[1]", "is not a JSON object"),
        ("[" * 100_000, "is not JSON that can be read"),
        ('{"source": ' + "1" * 5_000 + "}", "is not JSON that can be read"),
        ('{"source": "a"}', 'has no key "target"'),
        ('{"source": "a", "targets": "b"}', "did you mean `targets`?"),
        ('{"source": 1, "target": "b"}', '"source" is not a string'),
        ('{"source": "a", "target": null}', '"target" is not a string'),
        ('{"source": "a", "target": "b", "references": "c"}', '"references" is not a list of strings'),
        ('{"source": "a", "target": "b", "references": [1]}', '"references" is not a list of strings'),
        ('{"source": "a\\ud800", "target": "b"}', '"source": holds a lone surrogate \\ud800'),
        ('{"source": "a", "target": "b", "references": ["\\udc00"]}', '"references": holds a lone surrogate \\udc00'),
    ],
)
def test_jsonl_errors(line: str, message: str) -> None:
    put("x.jsonl", '{"source": "a", "target": "b"}\n\n' + line + "\n")
    refused = refusal("x.jsonl")
    assert refused.startswith("x.jsonl:3: ")
    assert message in refused


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_parallel(compression: str) -> None:
    compress = COMPRESSIONS[compression]
    source = put(f"x.en{compression}", compress("\ufeffa\r\n\r\nb\u2028\tc\n".encode()))
    target = put(f"x.fr{compression}", compress(b"A\n\nB"))
    assert list(read(f"{source},{target}")) == [
        Pair.of("a", "A", f"{source}:1"),
        Pair.of("", "", f"{source}:2"),
        Pair.of("b\u2028\tc", "B", f"{source}:3"),
    ]
    table = put(f"x.refs.fr.tsv{compression}", compress(b"A\tAA\n\nB\tBB\tBBB\n"))
    assert [pair.references for pair in read(f"{source},{table}")] == [("A", "AA"), ("",), ("B", "BB", "BBB")]
    text = put(f"x.txt{compression}", compress(b"A\tAA\n\nB\n"))
    assert next(read(f"{source}, {text}")).references == ("A\tAA",)


def test_parallel_errors() -> None:
    put("three", "a\nb\nc\n")
    put("five", "A\nB\nC\n\nE")
    assert refusal("three,five").startswith("three has 3 lines, five has 5: ")
    assert refusal("five,three").startswith("five has 5 lines, three has 3: ")
    for table in "x.tsv", "x.csv", "x.jsonl.gz":
        assert f"{table} is not plain text" in refusal(f"{table},three")
    assert "x.csv is not plain text" in refusal("three,x.csv")
    for spec in "three,", "three,three,three", ",":
        assert refusal(spec).startswith(f"{spec}: expected one file, or two joined by a comma")
    assert "standard input" in refusal("-,-")
    assert "--columns and --format are for one file" in refusal("three,three", columns="1,2")
    assert "--columns and --format are for one file" in refusal("three,three", format="tsv")


def test_a_file_with_a_comma_in_its_name() -> None:
    put("a,b.tsv", "x\ty\n")
    assert list(read("a,b.tsv")) == [Pair.of("x", "y", "a,b.tsv:1")]


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_read_lines(compression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = COMPRESSIONS[compression]("\ufeff a\r\n\n\u2028b\rc\x0b\n\ufefflast".encode())
    expected = [" a", "", "\u2028b\rc\x0b", "\ufefflast"]
    put("x", data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert list(read_lines("x")) == list(read_lines(Path("x"))) == list(read_lines("-")) == expected
    put("x", "")
    assert list(read_lines("x")) == []


def test_pairs_are_read_as_they_are_asked_for() -> None:
    """A mistake at the end of a file does not keep its first pairs back."""
    for format, content in PLAIN.items():
        pairs = read(put(f"x.{format}", content.encode() + b"\xff"))
        assert sides([next(pairs), next(pairs)]) == SENTENCES[:2]

"""Other tasks than turning one text into another: labels, texts that go on, pictures."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import regard
from regard.errors import UserError
from regard.model import Classifier, LanguageModel, Translator
from regard.models import LanguageModelSettings
from regard.run import corpus
from regard.run.settings import Settings

FAST = ["--set", "train.validate_pairs=20", "--set", "train.validate_every=40"]
SIZES = ["--set", "model.embedding.size=24"]


def sentences(count: int, seed: int) -> list[tuple[str, str]]:
    """(label, text): a text that speaks of animals is about animals."""
    rng = random.Random(seed)
    words = {
        "animal": ["cat", "dog", "cow", "fox"],
        "place": ["house", "street", "bridge", "town"],
        "3": ["one", "two", "six"],
    }
    rows = []
    for _ in range(count):
        label = rng.choice(list(words))
        text = ["the", rng.choice(words[label]), rng.choice(["is", "was"]), rng.choice(["here", "there", "old"])]
        rows.append((label, " ".join(text)))
    return rows


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("labels")
    for name, count, seed in (("train", 400, 1), ("test", 60, 2)):
        lines = [f"{label}\t{text}\n" for label, text in sentences(count, seed)]
        (place / f"{name}.tsv").write_text("".join(lines))
    return place


@pytest.fixture(scope="module")
def classifier(labelled: Path) -> Path:
    from regard.cli.main import run

    sets = ["--set", "model.encoder.size=16", "--set", "text.source.kind=word", "--set", "data.valid_pairs=40"]
    sets += ["--set", "model.dropout=0.1", "--set", "model.embedding.dropout=0.1"]
    arguments = ["train", str(labelled / "train.tsv"), "--task", "classify", "--out", str(labelled / "run")]
    assert run([*arguments, "--steps", "80", *SIZES, *FAST, *sets]) == 0
    return labelled / "run"


def test_a_classifier_learns_which_words_tell_the_label(command: Callable, classifier: Path, labelled: Path) -> None:
    ended = command("evaluate", classifier, labelled / "test.tsv", "--json")
    found = json.loads(ended.out)
    assert found["measures"][0]["name"] == "accuracy" and found["measures"][0]["value"] > 95
    assert {one["label"] for one in found["classes"]} == {"animal", "place", "3"}
    assert sum(one["count"] for one in found["classes"]) == 60
    # the order of the columns does not matter, nor does a single line
    turned = labelled / "turned.tsv"
    turned.write_text("the cat is here\tanimal\n")
    assert json.loads(command("evaluate", classifier, turned, "--json").out)["measures"][0]["value"] == 100
    assert "most often taken for" in command("evaluate", classifier, labelled / "test.tsv").out


def test_lines_get_their_labels(command: Callable, classifier: Path) -> None:
    ended = command("classify", classifier, stdin=b"the cat is here\nthe bridge was old\n")
    assert (ended.code, ended.out) == (0, "animal\nplace\n")
    assert command("classify", classifier, stdin=b"\nthe cat is here\n").out == "\nanimal\n"
    assert json.loads(command("classify", classifier, "--json", stdin=b" \n").out) == {"text": " ", "label": None}
    row = json.loads(command("classify", classifier, "--json", stdin=b"the six was old\n").out)
    assert row["label"] == "3" and sum(row["probabilities"].values()) == pytest.approx(1)


def test_hops_are_shown(command: Callable, classifier: Path, tmp_path: Path) -> None:
    page, numbers = tmp_path / "hops.html", tmp_path / "hops.json"
    ended = command("inspect", classifier, "the cat is here", "--html", page, "--json", numbers)
    assert ended.code == 0 and ended.out.startswith("animal (")
    assert "hop 1  the" in ended.out and "  all  the" in ended.out
    table = json.loads(numbers.read_text())
    assert table["words"] == ["the", "cat", "is", "here", "⟨end⟩"]
    assert all(sum(row) == pytest.approx(1, abs=1e-3) for row in table["hops"])
    assert page.read_text().count('class="word"') == 5 * (len(table["hops"]) + 1)


def test_embeddings(classifier: Path) -> None:
    model = regard.load(classifier)
    assert isinstance(model, Classifier)
    vectors = model.embed(["the cat is here", "the fox was there", "the cat is here"])
    assert vectors.shape == (3, model.task.network.encoder.summary_size)
    assert (vectors[0] == vectors[2]).all() and not (vectors[0] == vectors[1]).all()
    assert model.embed([]).shape == (0, vectors.shape[1])
    assert (model.embed(text for text in ["the fox was there"]) == vectors[1]).all()
    with pytest.raises(UserError, match="put it in brackets"):
        model.embed("the cat is here")


def test_what_a_classifier_cannot_do_is_refused(command: Callable, classifier: Path, labelled: Path) -> None:
    for arguments, message in (
        (["translate", classifier], "gives a text one of some labels, it cannot translate: `regard classify`"),
        (["generate", classifier], "cannot generate"),
        (["score", classifier, labelled / "test.tsv"], "cannot score"),
        (["evaluate", classifier, labelled / "test.tsv", "--beam", "2"], "a classifier gives labels: --beam"),
        (["inspect", classifier, "a", "--png", "a.png"], "--png does not apply"),
        (["inspect", classifier, "a", "--self", "source"], "hops to show: --self does not apply"),
    ):
        ended = command(*arguments)
        assert ended.code == 2 and message in ended.err and len(ended.err.splitlines()) == 1, arguments
    strange = labelled / "strange.tsv"
    strange.write_text("the cat is here\tmineral\n" * 30)
    ended = command("evaluate", classifier, strange)
    unknown = "strange.tsv:1: neither `the cat is here` nor `mineral` is one of the labels: "
    assert ended.code == 2 and unknown in ended.err
    ended = command("inspect", classifier, " ")
    assert ended.code == 2 and "there is no text to look at" in ended.err
    arguments = ["train", labelled / "train.tsv", "--task", "classify", "--out", labelled / "other"]
    ended = command(*arguments, "--valid", strange, "--steps", "2")
    assert ended.code == 2 and unknown in ended.err
    strange.write_text("the cat is here\tmineral\nthe fox is here\tanimal\n" * 15)
    ended = command(*arguments, "--valid", strange, "--steps", "2")
    assert ended.code == 2 and "strange.tsv:1: `mineral` is not a label" in ended.err
    ended = command(*arguments, "--steps", "2", "--set", "search.width=9")
    assert ended.code == 2 and "a classifier gives labels and does not search" in ended.err
    assert not (labelled / "other").exists()


def test_labels_that_cannot_be_learnt(command: Callable, labelled: Path, tmp_path: Path) -> None:
    one = tmp_path / "one.tsv"
    one.write_text("".join(f"{text}\tthe same\n" for _, text in sentences(30, 3)))
    ended = command("train", one, "--task", "classify", "--out", tmp_path / "run", "--steps", "2")
    assert ended.code == 2 and "every text has the label `the same`" in ended.err
    # a label with one text can be learnt, whether that text is held back or not
    for seed in (1, 2, 3, 4):
        rare = tmp_path / f"rare{seed}.tsv"
        rare.write_text("".join(f"{text}\t{label}\n" for label, text in [("rare", "a b"), *sentences(30, seed)]))
        arguments = ["--task", "classify", "--set", "data.valid_pairs=15", "--steps", "2", "--dry-run", "--seed", seed]
        ended = command("train", rare, *arguments, "--out", tmp_path / "run")
        assert ended.code == 0 and "4 labels: " in ended.out, ended.err


def test_a_task_and_settings_of_another(command: Callable, labelled: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('[model]\nkind = "language_model"\n')
    for options in (["--settings", file], ["--preset", "small"], ["--set", "model.kind=seq2seq"]):
        ended = command("train", labelled / "train.tsv", "--task", "classify", "--out", tmp_path / "run", *options)
        assert ended.code == 2 and "task classify: the settings are of a model of kind" in ended.err, options
    ended = command(
        "train", labelled / "train.tsv", "--task", "classify", "--out", tmp_path / "run", "--set", "model=3"
    )
    assert ended.code == 2 and "model" in ended.err and ended.err.count("\n") == 1
    file.write_text("preset = 3\n")
    ended = command("train", labelled / "train.tsv", "--settings", file, "--out", tmp_path / "run")
    assert ended.code == 2 and "preset 3: is not one of" in ended.err
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "book.txt"
    path.write_text("".join(f"{a} and {b}\n" for a in "abcdefgh" for b in ("tea", "milk", "jam")) * 12)
    return path


@pytest.fixture(scope="module")
def writer(text: Path) -> Path:
    from regard.cli.main import run

    sets = ["--set", "model.trunk.size=24", "--set", "model.trunk.num_layers=1", "--set", "model.trunk.num_heads=2"]
    sets += ["--set", "model.context=32", "--set", "text.target.kind=char", "--set", "train.batch_tokens=512"]
    arguments = ["train", str(text), "--task", "language", "--out", str(text.parent / "run"), "--steps", "120"]
    assert run([*arguments, *SIZES, *FAST, *sets]) == 0
    return text.parent / "run"


def test_a_language_model_learns_what_comes_next(command: Callable, writer: Path, text: Path) -> None:
    ended = command("evaluate", writer, text, "--json")
    bits, perplexity = json.loads(ended.out)["measures"]
    assert bits["signature"] == perplexity["signature"] and "context:32|stride:8" in bits["signature"]
    assert bits["name"] == "bits/char" and bits["value"] < 2.0
    assert bits["signature"].startswith("context:32|stride:8|tok:char")
    assert perplexity["value"] == pytest.approx(2 ** bits["value"], rel=1e-3)  # a token is a character
    assert f"{len(text.read_text()):,} characters" in command("evaluate", writer, text).out


def test_it_goes_on(command: Callable, writer: Path) -> None:
    ended = command("generate", writer, "a and", "--length", "60", "--seed", "4")
    assert ended.code == 0 and ended.out.startswith("a and") and len(ended.out) >= 60
    assert ended.out == command("generate", writer, "a and", "--length", "60", "--seed", "4").out
    assert ended.out != command("generate", writer, "a and", "--length", "60", "--seed", "5").out
    rows = command(
        "generate", writer, "a and", "--beam", "3", "--count", "2", "--length", "9", "--json"
    ).out.splitlines()
    first, second = (json.loads(row)["text"] for row in rows)
    assert first.startswith("a and") and first != second
    for arguments, message in (
        (["--beam", "2", "--seed", "3"], "two ways to write"),
        (["--beam", "2", "--count", "3"], "make it 3 wide"),
        (["--temperature", "0"], "temperature"),
    ):
        ended = command("generate", writer, "a", *arguments)
        assert ended.code == 2 and message in ended.err, arguments


def test_what_it_looked_back_at(command: Callable, writer: Path, tmp_path: Path) -> None:
    ended = command("inspect", writer, "a and tea", "--json", tmp_path / "map.json", "--html", tmp_path / "map.html")
    assert ended.code == 0 and "⟨start⟩" in ended.out
    table = json.loads((tmp_path / "map.json").read_text())
    rows = table["weights_LHTS"][0][0]
    assert all(not any(row[t + 1 :]) for t, row in enumerate(rows)), "nobody looks at what comes later"
    ended = command("inspect", writer, "")
    assert ended.code == 2 and "there is no text to look at" in ended.err
    ended = command("inspect", writer, "a", "--self", "target")
    assert ended.code == 2 and "nothing but its own text: --self does not apply" in ended.err
    (tmp_path / "lines.txt").write_text("a and tea\n\ntea tea\n")
    ended = command("score", writer, tmp_path / "lines.txt", "--json")
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert [row["tokens"] for row in rows] == [9, 0, 7]
    assert rows[0]["mean"] > rows[2]["mean"] and rows[1]["logprob"] == 0


def test_the_end_of_a_running_text_is_held_back(command: Callable, text: Path, tmp_path: Path) -> None:
    ended = command("train", text, "--task", "language", "--out", tmp_path / "run", "--steps", "5", "--dry-run")
    size = len(text.read_text())
    assert f"{size - size // 20:,} to learn from, {size // 20:,} to validate (held back)" in ended.out
    ended = command("train", text, "--task", "language", "--out", tmp_path / "run", "--columns", "1,2")
    assert ended.code == 2 and "--columns and --format are for pairs" in ended.err
    for given, said in (
        ("data.valid_pairs=3", "are for pairs and lines"),
        ("data.filter.max_length=5", "are for pairs and lines"),
        ("text.target.kind=label", "a text would be one token"),
    ):
        ended = command("train", text, "--task", "language", "--out", tmp_path / "run", "--set", given)
        assert ended.code == 2 and said in ended.err, given


def test_texts_that_are_given_one_by_one_begin_on_new_lines() -> None:
    settings = Settings(model=LanguageModelSettings())
    found = corpus.assemble(corpus.to_pairs(["the end", "The next\n", "and the last"], settings), None, settings)
    assert (found.train[0].target + found.valid[0].target) == "the end\nThe next\nand the last"


def test_lines_end(command: Callable, text: Path, tmp_path: Path) -> None:
    sets = ["--set", "model.unit=line", "--set", "model.trunk.kind=rnn", "--set", "model.trunk.attention.kind=past"]
    sets += ["--set", "model.trunk.size=24", "--set", "text.target.kind=char"]
    done = command(
        "train", text, "--task", "language", "--out", tmp_path / "run", "--steps", "60", *SIZES, *FAST, *sets
    )
    assert done.code == 0
    model = regard.load(tmp_path / "run")
    assert isinstance(model, LanguageModel) and not model.task.running
    one, other = model.score(["a and tea", "tea and a a a"])
    assert one > other
    assert "⟨nothing⟩" in command("inspect", tmp_path / "run", "a and tea").out


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from regard.cli.main import run

    place = tmp_path_factory.mktemp("pictures") / "digits"
    assert run(["data", "make", "digits", "--out", str(place), "--size", "60", "--length", "1-2"]) == 0
    return place


@pytest.mark.parametrize("encoder", ["conv", "patches"])
def test_pictures_are_read(command: Callable, digits: Path, tmp_path: Path, encoder: str) -> None:
    out = tmp_path / "run"
    pictures = [digits / "train.tsv", "--valid", digits / "valid.tsv"]
    arguments = ["train", *pictures, "--preset", "image-small", "--out", out]
    done = command(*arguments, "--steps", "4", *FAST, "--set", f"model.encoder.kind={encoder}")
    assert done.code == 0, done.err
    assert "pictures, 32 pixels high" in done.out and "inspect" in done.out and "PICTURE" in done.out
    assert '"a text"' not in done.out
    found = json.loads(command("evaluate", out, digits / "test.tsv", "--json").out)
    assert found["pairs"] == 6 and found["measures"][0]["name"] == "exact"
    picture = digits / "test" / "00000.png"
    ended = command(
        "inspect", out, picture, "--target", "12", "--png", tmp_path / "map.png", "--json", tmp_path / "m.json"
    )
    assert ended.code == 0 and (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    table = json.loads((tmp_path / "m.json").read_text())
    assert len(table["centres"]) == 3 and all(0 <= x <= table["boxes"][-1][2] for x in table["centres"])
    ended = command("inspect", out, picture, "--self", "source", "--html", tmp_path / "map.html")
    assert ended.code == 2 and "what their places look at cannot be shown" in ended.err
    assert command("translate", out, stdin=f"{picture}\n".encode()).code == 0
    for name in (b"none.png", b"no\0ne.png"):
        ended = command("translate", out, stdin=name + b"\n")
        assert ended.code == 2 and "ne.png: cannot be read" in ended.err
    paths = digits / "paths.txt"
    paths.write_text("test/00000.png\n\ntest/00001.png\n")
    assert command("translate", out, paths).out.count("\n") == 3, "seen from where the file is"
    paths.write_text("test/00000.png\n\ntest.tsv\n")
    ended = command("translate", out, paths)
    assert ended.code == 2 and "paths.txt:3: " in ended.err and "test.tsv: is not a picture" in ended.err
    assert ended.out.count("\n") == 2, "what came before it is answered"
    table = digits / f"table-{encoder}.tsv"
    table.write_text("test/00000.png\t12\ntest.tsv\t13\n")
    for verb in ("evaluate", "score"):
        ended = command(verb, out, table)
        assert ended.code == 2 and f"{table.name}:2: " in ended.err and "is not a picture" in ended.err, verb
    for refused in (
        ["evaluate", out, digits / "test.tsv", "--alignments", paths],
        ["translate", out, paths, "--json", "--attention"],
        ["inspect", out, picture, "--svg", tmp_path / "map.svg"],
    ):
        ended = command(*refused)
        assert ended.code == 2 and refused[-2 if "inspect" in refused or "evaluate" in refused else -1] in ended.err
    model = regard.load(out)
    assert isinstance(model, Translator) and model.reads_pictures
    assert model.embed([]).shape == (0, model.embed([str(picture)], workers=1).shape[1])
    with pytest.raises(UserError, match="leave lengths out"):
        model.evaluate([(str(picture), "12")], lengths=True)


def test_names_of_pictures_are_not_taken_for_texts(command: Callable, digits: Path, tmp_path: Path) -> None:
    arguments = ["train", digits / "train.tsv", "--out", tmp_path / "run", "--dry-run"]
    ended = command(*arguments)
    assert ended.code == 2 and "train/00000.png: the sources are names of pictures: add --preset" in ended.err
    assert command(*arguments, "--set", "text.source.kind=char").code == 0


def test_long_strings_of_digits_are_in_one_file_only(command: Callable, tmp_path: Path) -> None:
    command("data", "make", "digits", "--out", tmp_path / "digits", "--size", "400", "--length", "3-4")
    said = {}
    for split in ("train", "valid", "test"):
        lines = (tmp_path / "digits" / f"{split}.tsv").read_text().splitlines()
        said[split] = {line.split("\t")[1] for line in lines}
        assert {len(text) for text in said[split]} == {3, 4}
    long = {split: {text for text in texts if len(text) == 4} for split, texts in said.items()}
    assert not long["train"] & long["test"] and not long["train"] & long["valid"] and not long["valid"] & long["test"]


def test_what_is_wrong_with_pictures_is_said(command: Callable, digits: Path, tmp_path: Path) -> None:
    table = digits / "table.tsv"
    table.write_text((digits / "train.tsv").read_text() + "missing.png\t12\n")
    arguments = ["train", table, "--preset", "image-small", "--out", tmp_path / "run", "--steps", "2"]
    ended = command(*arguments)
    assert ended.code == 2 and "table.tsv:61: " in ended.err and "missing.png: cannot be read" in ended.err
    for given, said in (
        ("data.filter.max_ratio=2", "a picture has no characters"),
        ("model.embedding.share=all", "a picture has no tokens to share"),
        ("model.embedding.around.kind=ngrams", "a picture has no tokens around others"),
    ):
        ended = command(*arguments, "--set", given)
        assert ended.code == 2 and said in ended.err and len(ended.err.splitlines()) == 1, given


def test_a_picture_that_has_changed_is_not_the_same_data(command: Callable, digits: Path, tmp_path: Path) -> None:
    place = tmp_path / "digits"
    shutil.copytree(digits, place)
    arguments = ["train", place / "train.tsv", "--preset", "image-small", "--out", tmp_path / "run", "--steps", "2"]
    assert command(*arguments, *FAST).code == 0
    shutil.copy(place / "train" / "00001.png", place / "train" / "00000.png")
    ended = command("train", "--resume", tmp_path / "run", "--steps", "4")
    assert ended.code == 2 and "the pairs are not those" in ended.err


def test_positions_that_do_not_suffice_are_said_before_the_start(command: Callable, tmp_path: Path) -> None:
    pairs, valid = tmp_path / "pairs.tsv", tmp_path / "valid.tsv"
    pairs.write_text("".join(f"a word {n} here\tb word {n}\n" for n in range(40)))
    valid.write_text("a much longer text than all of the others, which has no room\tb\n")
    sets = ["--set", "model.encoder.positions.kind=learned", "--set", "model.encoder.positions.most=24"]
    arguments = ["train", pairs, "--preset", "transformer-tiny", "--out", tmp_path / "run", "--steps", "2", *sets]
    assert command(*arguments, "--dry-run", "--set", "text.source.kind=char").code == 0
    ended = command(*arguments, "--valid", valid, "--set", "text.source.kind=char")
    assert ended.code == 2 and "model.encoder.positions.most = 24: the longest text has" in ended.err
    spelt = ["--set", "text.source.kind=bpe", "--set", "text.source.size=300", "--set", "train.bpe_dropout=0.1"]
    ended = command(*arguments[:-1], "model.encoder.positions.most=12", *spelt)
    assert ended.code == 2 and "spelt as train.bpe_dropout may spell it" in ended.err
    # of all that may come, the longest counts: a text to validate with is not varied, and may be longer all the same
    valid.write_text(f"{'x' * 200}\tb\n")
    ended = command(*arguments[:-1], "model.encoder.positions.most=48", *spelt, "--valid", valid)
    assert ended.code == 2 and "model.encoder.positions.most = 48: the longest text has" in ended.err


def test_a_text_that_is_too_long_is_named(command: Callable, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"a word {n} here\tb word {n}\n" for n in range(40)))
    sets = ["--set", "model.encoder.positions.kind=learned", "--set", "model.encoder.positions.most=24", *FAST]
    sets += ["--set", "text.source.kind=char"]
    arguments = ["train", pairs, "--preset", "transformer-tiny", "--out", tmp_path / "run", "--steps", "2", *sets]
    assert command(*arguments).code == 0
    long = "a word that goes on for too long"
    ended = command("translate", tmp_path / "run", stdin=f"a word 1 here\n\n{long}\na word 2 here\n".encode())
    assert ended.code == 2 and f'stdin:3: "{long}": has 33 tokens' in ended.err
    assert len(ended.out.splitlines()) == 2  # what came before it is answered
    pairs.write_text(f"a word\tb word\n{long}\tb\n")
    for verb in ("evaluate", "score"):
        ended = command(verb, tmp_path / "run", pairs)
        assert ended.code == 2 and f'pairs.tsv:2: "{long}": has 33 tokens' in ended.err, verb
    model = regard.load(tmp_path / "run")
    assert isinstance(model, Translator)
    with pytest.raises(UserError, match=r'^pair 0: "a word that'):
        model.score([(long, "b")])


def test_a_line_that_is_too_long_for_a_language_model_is_named(command: Callable, tmp_path: Path) -> None:
    text = tmp_path / "lines.txt"
    text.write_text("".join(f"a word {n} here\n" for n in range(60)))
    sets = ["--set", "model.unit=line", "--set", "text.target.kind=char", *FAST, "--set", "data.valid_pairs=10"]
    sets += ["--set", "model.trunk.positions.kind=learned", "--set", "model.trunk.positions.most=20"]
    arguments = ["train", text, "--preset", "language-tiny", "--task", "language", "--out", tmp_path / "run"]
    assert command(*arguments, "--steps", "2", *sets).code == 0
    text.write_text("a word\na word that goes on for too long\n")
    for verb in ("evaluate", "score"):
        ended = command(verb, tmp_path / "run", text)
        assert ended.code == 2 and 'lines.txt:2: "a word that goes on for too long": has 33 tokens' in ended.err, verb
    assert len(ended.out.splitlines()) == 1
    # a running text is as long as it is, and read in windows
    sets = ["--set", "model.context=8", "--set", "model.trunk.positions.kind=learned"]
    ended = command(*arguments[:-1], tmp_path / "other", *sets, "--set", "model.trunk.positions.most=4")
    assert ended.code == 2 and "is less than model.context = 8" in ended.err


def test_the_same_seed_draws_the_same_pictures(command: Callable, digits: Path, tmp_path: Path) -> None:
    command("data", "make", "digits", "--out", tmp_path / "again", "--size", "60", "--length", "1-2")
    for name in ("train.tsv", "train/00000.png", "test/00005.png"):
        assert (tmp_path / "again" / name).read_bytes() == (digits / name).read_bytes()
    words = command("data", "make", "signs", "--out", tmp_path / "signs", "--size", "10")
    assert words.code == 0 and (tmp_path / "signs" / "train" / "00009.png").exists()

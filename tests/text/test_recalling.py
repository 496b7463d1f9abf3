from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import regard
from regard.errors import UserError
from regard.explain.inspection import Inspection
from regard.model import Translator
from regard.run import conduct as run
from regard.run import plan
from regard.search import BeamSettings
from regard.text.tokenisers import EOS, CharSettings, WordSettings, load, save, train
from regard.text.tokenisers.recalling import RecallingTokeniser

PAIRS = [
    ("cat", "K AE T"),
    ("cats", "K AE T S"),
    ("cats", "K AE T Z"),
    ("dog", "D AO G"),
    ("doghouse", "D AO G HH AW S"),
]


@cache
def recalling(count: int = 1) -> RecallingTokeniser:
    source = train(CharSettings(), [text for text, _ in PAIRS])
    target = train(WordSettings(min_count=1), [became for _, became in PAIRS])
    return RecallingTokeniser(source, target, PAIRS, count)


def shown(text: str, count: int = 1) -> str:
    tokeniser = recalling(count)
    return " ".join(tokeniser.piece_text(id_).strip("▁") for id_ in tokeniser.encode(text))


def test_the_target_of_the_most_similar_pair_stands_after_the_source() -> None:
    assert shown("dogs") == "d o g s ⟨end⟩ D AO G"
    assert shown("doghouses", 2) == "d o g h o u s e s ⟨end⟩ D AO G HH AW S ⟨end⟩ K AE T S"


def test_a_texts_own_pair_is_never_shown() -> None:
    assert shown("cat") == "c a t ⟨end⟩ K AE T S"  # of several targets the first one
    assert shown("cats") == "c a t s ⟨end⟩ K AE T"


def test_what_is_like_nothing_is_read_alone() -> None:
    tokeniser = recalling()
    assert tokeniser.encode("qqq") == tokeniser.source.encode("qqq")
    assert tokeniser.encode("") == []


@pytest.mark.parametrize("text", ["cats", "doghouse cat", "", "  ", "é日\0", "⟨end⟩", "</s>", "cat\ufeff"])
def test_ids_lead_back_to_the_text(text: str) -> None:
    tokeniser = recalling(2)
    ids = tokeniser.encode(text)
    assert tokeniser.decode([*ids, EOS]) == text
    spans = tokeniser.spans([*ids, EOS])
    assert {at for start, end in spans for at in range(start, end)} == set(range(len(text)))
    num_own = len(tokeniser.source.encode(text))
    assert all(span == (len(text), len(text)) for span in spans[num_own:])
    assert all(id_ < tokeniser.size for id_ in ids)


def test_both_sides_have_ids_of_their_own() -> None:
    tokeniser = recalling(2)
    own = len("doghouses")
    beyond = [id_ for id_ in tokeniser.encode("doghouses")[own:] if id_ != EOS]
    assert beyond and min(beyond) >= tokeniser.source.size
    assert tokeniser.size == tokeniser.source.size + tokeniser.target.size - 3


@pytest.mark.parametrize("alone", [False, True])
def test_saved_and_loaded_is_the_same(tmp_path: Path, alone: bool) -> None:
    parts = recalling()
    tokeniser = RecallingTokeniser(parts.source, parts.target, PAIRS, 2, alone=alone)
    save(tokeniser, tmp_path / "tokeniser.json")
    loaded = load(tmp_path / "tokeniser.json")
    assert isinstance(loaded, RecallingTokeniser)
    assert (loaded.kind, loaded.lead, loaded.pieces) == (tokeniser.kind, tokeniser.lead, tokeniser.pieces)
    texts = ["cats", "dogs", "doghouses", "qqq"]
    assert loaded.encode_all(texts) == tokeniser.encode_all(texts) == [tokeniser.encode(text) for text in texts]
    assert loaded.to_json() == tokeniser.to_json()
    assert loaded.alone == alone


def test_a_damaged_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tokeniser.json").write_text('{"kind": "recalling", "pieces": []}')
    with pytest.raises(UserError, match="is not a tokeniser"):
        load(tmp_path / "tokeniser.json")


# and the model around it

SENTENCES = [
    (f"{a} {b}", f"{b} {a}") for a in ("red", "big", "old", "wet") for b in ("cat", "dog", "hat", "sea", "sun")
]
LAYER: dict[str, Any] = {"size": 8, "num_layers": 1, "num_heads": 2, "feedforward": 8}
SMALL: dict[str, Any] = {
    "text": {"source": {"kind": "word", "min_count": 1}, "target": {"kind": "word", "min_count": 1}, "similar": 1},
    "train": {"batch_tokens": 64, "validate_every": 3},
}


def prepare(out: Path, *layers: dict[str, Any]) -> plan.Prepared:
    layers = (SMALL, *layers, run.options(steps=3))
    return plan.prepare_new(SENTENCES, out=out, preset_name="tiny", layers=list(layers))


def test_a_language_model_has_nothing_to_recall(tmp_path: Path) -> None:
    layers = [{"text": {"similar": 1}, "model": {"kind": "language_model"}}, run.options(steps=3)]
    with pytest.raises(UserError, match=r"text\.similar: only a model of kind seq2seq"):
        plan.prepare_new(["some text"] * 9, out=tmp_path / "run", layers=layers)


def test_a_model_holds_what_it_recalls(tmp_path: Path) -> None:
    transformer = {"model": {"encoder": {"kind": "transformer", **LAYER}, "decoder": {"kind": "transformer", **LAYER}}}
    trained = run.run(prepare(tmp_path / "run", transformer))
    loaded = regard.load(tmp_path / "run")
    assert isinstance(trained, Translator) and isinstance(loaded, Translator)
    texts = ["red cat", "wet sun", "new moon"]
    assert loaded.translate(texts) == trained.translate(texts)
    assert loaded.score([("red cat", "cat red")]) == pytest.approx(trained.score([("red cat", "cat red")]))
    assert "these pairs are in it" in (tmp_path / "run" / "model" / "README.md").read_text()
    assert loaded.task.recalls

    looked = loaded.inspect("red cat", "cat red")
    assert isinstance(looked, Inspection)
    assert looked.weights_LHTS.sum(-1) == pytest.approx(1)
    own = [piece.text for piece in looked.source_pieces if piece.end > piece.start]
    assert own == ["▁red", "▁cat"]
    assert len(looked.source_pieces) > len(own) + 1
    links = loaded.align([("red cat", "cat red")])[0]
    assert links and all(source < 2 for source, _ in links)  # of its own words alone
    with pytest.raises(UserError, match="coverage penalty is of a source alone"):
        loaded.search(["red cat"], BeamSettings(coverage=0.5))


def test_pairs_that_are_held_back_are_not_recalled(tmp_path: Path) -> None:
    prepared = prepare(tmp_path / "run")
    source = prepared.task.tokenisers["source"]
    assert isinstance(source, RecallingTokeniser)
    held = {pair.source for pair in prepared.corpus.valid}
    assert held and not held & {text for text, _ in source.memory}


def test_some_sources_are_without_in_each_epoch_and_others_in_the_next(tmp_path: Path) -> None:
    prepared = prepare(tmp_path / "run", {"text": {"similar_dropout": 0.4}})
    whole = [one.source.tolist() for one in prepared.task.examples(prepared.corpus.train)]
    epochs = [[one.source.tolist() for one in prepared.epochs(number)] for number in range(50)]
    assert epochs[0] == [one.source.tolist() for one in prepared.epochs(0)], "a pure function of the epoch"
    assert epochs[0] != epochs[1]
    shown = np.array([[one == source for one, source in zip(epoch, whole, strict=True)] for epoch in epochs])
    assert shown.mean() == pytest.approx(0.6, abs=0.05)
    for epoch in epochs:
        for one, source in zip(epoch, whole, strict=True):
            assert one in (source, source[: source.index(EOS) + 1])


def test_ngrams_are_those_of_the_sources_alone(tmp_path: Path) -> None:
    around = {"model": {"embedding": {"around": {"kind": "ngrams", "least": 1}}}}
    alone, beside = (
        prepare(tmp_path / "run", around, {"text": text}).task.network.around
        for text in ({"similar": 0}, {"similar": 1, "similar_dropout": 0.5})
    )
    assert torch.equal(alone.number_G, beside.number_G)


def test_who_has_learnt_to_do_without_reads_twice(tmp_path: Path) -> None:
    once = run.run(prepare(tmp_path / "once"))
    run.run(prepare(tmp_path / "twice", {"text": {"similar_dropout": 0.5}}))
    loaded, together = regard.load(tmp_path / "twice"), regard.load(tmp_path / "twice", tmp_path / "twice")
    assert isinstance(once, Translator) and isinstance(loaded, Translator) and isinstance(together, Translator)
    assert loaded.task.reads_twice and not once.task.reads_twice
    assert loaded.inspect("red cat", "cat red").source_pieces == once.inspect("red cat", "cat red").source_pieces
    assert together.translate(["red cat", "moon"]) == loaded.translate(["red cat", "moon"])
    pairs = [("red cat", "cat red"), ("sun", "sun")]
    assert together.score(pairs) == pytest.approx(loaded.score(pairs), abs=1e-5)
    assert "with them and without" in (tmp_path / "twice" / "model" / "README.md").read_text()
    with pytest.raises(UserError, match="another source vocabulary"):
        regard.load(tmp_path / "twice", tmp_path / "once")


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (
            {"text": {"joint": True, "target": {"kind": "auto"}}},
            "does not go together with text.joint = true",
        ),
        ({"text": {"source": {"kind": "image"}}}, "does not go together with text.source = image"),
        (
            {"model": {"embedding": {"around": {"kind": "ngrams"}}}},
            "a source with similar pairs beside it goes without n-grams; say text.similar_dropout",
        ),
        ({"model": {"kind": "classifier"}}, "text.similar: only a model of kind seq2seq"),
        ({"search": {"coverage": 0.2}}, "a coverage penalty is of a source alone"),
        ({"text": {"similar": 0, "similar_dropout": 0.5}}, "text.similar_dropout: there are no similar pairs to hide"),
        ({"train": {"bpe_dropout": 0.1}}, "train.bpe_dropout = 0.1: does not go together with text.similar"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path: Path, layer: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        prepare(tmp_path / "run", layer)

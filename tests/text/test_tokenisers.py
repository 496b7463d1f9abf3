from __future__ import annotations

import datetime
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from regard.errors import UserError
from regard.text.tokenisers import (
    BOS,
    EOS,
    PAD,
    AutoSettings,
    BpeSettings,
    CharSettings,
    Tokeniser,
    TokeniserSettings,
    UnigramSettings,
    WordSettings,
    choose,
    load,
    save,
    train,
)
from regard.text.words import owners, words

KINDS = [kind for kind in get_args(TokeniserSettings) if kind is not AutoSettings]
NASTY = [
    "", " ", "  ", "\0", "\u2028", "\u2029", "\x85", "\u00a0", "\ufeff", "\r", "\n", "\r\n", "\t", "\x1c", "\ufffd",
    "\uffff", "</s>", "<s>", "<pad>", "<unk>", "▁", "▁the", "<0x41>", "Ġ", "Ċ", "一", "丁", "##a", "@@", "⟨end⟩",
    "👩‍👩‍👧‍👦", "🏳️‍🌈", "e\u0301", "é", "ﷺ", "हिन्दी में", "日本語です。", "ไทย", "\U0010ffff", "ß", "İ", "l'eau",
    "don’t", "'", "’’", "a", "the man", "3.14", "a_b", "...", "?!", "[UNK]",
]  # fmt: skip


def nasty_lines(num: int) -> list[str]:
    chance = random.Random(3)
    anything = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    lines = [*NASTY, "x" * 10_000, "é日 " * 3_000, " " * 10_000]
    while len(lines) < num:
        parts = [chance.choice(NASTY + [" "] * 20) for _ in range(chance.randrange(12))]
        parts += [chr(chance.choice(anything)) for _ in range(chance.randrange(3))]
        chance.shuffle(parts)
        lines.append("".join(parts))
    return lines


def sentences(num: int = 600) -> list[str]:
    chance = random.Random(1)
    nouns = ["chien", "chat", "garçon", "fille", "maison", "l'homme", "l'eau", "été"]
    verbs = ["regarde", "mange", "trouve", "n'aime pas", "voit"]
    return [f"Le {chance.choice(nouns)} {chance.choice(verbs)} {chance.choice(nouns)}." for _ in range(num)]


@cache
def trained(settings: type) -> Tokeniser:
    return train(settings(), sentences())


each_kind = pytest.mark.parametrize("settings", KINDS, ids=lambda settings: settings.__struct_config__.tag)


@each_kind
def test_every_text_comes_back_unchanged(settings: type) -> None:
    tokeniser = trained(settings)
    lines = nasty_lines(2000)
    all_ids = tokeniser.encode_all(lines)
    for line, ids in zip(lines, all_ids, strict=True):
        assert tokeniser.decode(ids) == line
        assert all(EOS < id_ < tokeniser.size for id_ in ids)
    assert [tokeniser.encode(line) for line in lines[:200]] == all_ids[:200]
    assert tokeniser.encode("") == []


@each_kind
def test_spans_agree_with_decode(settings: type) -> None:
    tokeniser = trained(settings)
    for line in nasty_lines(500):
        ids = tokeniser.encode(line)
        spans = tokeniser.spans([BOS, *ids, EOS])
        assert spans[0] == (0, 0) and spans[-1] == (len(line), len(line))
        reached = 0
        for id_, (start, end) in zip(ids, spans[1:-1], strict=True):
            assert start <= reached <= end  # no gap, and back only into a character that is not finished
            assert tokeniser.pieces[id_].strip() in line[start:end].encode()
            reached = end
        assert reached == len(line)


@each_kind
def test_spans_agree_with_decode_where_a_model_wrote_anything(settings: type) -> None:
    tokeniser = trained(settings)
    chance = random.Random(5)
    for _ in range(500):
        ids = [chance.randrange(tokeniser.size) for _ in range(chance.randrange(15))]
        text, spans = tokeniser.decode(ids), tokeniser.spans(ids)
        assert len(spans) == len(ids)
        covered = {index for start, end in spans for index in range(start, end)}
        assert covered == set(range(len(text)))
        for id_, (start, end) in zip(ids, spans, strict=True):
            whole = tokeniser.pieces[id_].decode(errors="ignore").strip()
            assert whole.encode() != tokeniser.pieces[id_].strip() or whole in text[start:end]
            assert id_ > EOS or start == end


@each_kind
def test_special_symbols_are_no_text(settings: type) -> None:
    tokeniser = trained(settings)
    ids = tokeniser.encode("le </s> chien")
    assert not {PAD, BOS, EOS} & set(ids)
    assert tokeniser.decode([BOS, *ids[:2], PAD, *ids[2:], EOS, PAD]) == "le </s> chien"


@each_kind
def test_broken_bytes_are_replaced(settings: type) -> None:
    tokeniser = trained(settings)
    broken = [tokeniser.pieces.index(bytes([byte])) for byte in b"a\xe6\x97b\xff\xc3"]
    assert tokeniser.decode(broken) == "a\ufffdb\ufffd\ufffd"
    assert tokeniser.spans(broken) == [(0, 1), (1, 2), (1, 2), (2, 3), (3, 4), (4, 5)]


@each_kind
def test_pieces_know_their_word(settings: type) -> None:
    tokeniser = trained(settings)
    line = "Le garçon  inconnu."
    found = owners(tokeniser.spans(tokeniser.encode(line)), words(line))
    told = [word for word in found if word is not None]
    assert told == sorted(told) and set(told) == {0, 1, 2}


@each_kind
def test_no_two_ids_are_the_same_piece(settings: type) -> None:
    tokeniser = trained(settings)
    assert len(set(tokeniser.pieces)) == tokeniser.size - 2  # the three special symbols stand for nothing
    assert all(bytes([byte]) in tokeniser.pieces for byte in range(256))


@each_kind
def test_pieces_can_be_shown(settings: type) -> None:
    tokeniser = trained(settings)
    shown = [tokeniser.piece_text(id_) for id_ in range(tokeniser.size)]
    assert shown[:3] == ["⟨pad⟩", "⟨start⟩", "⟨end⟩"]
    assert all(text.isprintable() and " " not in text and text for text in shown)
    assert shown[tokeniser.pieces.index(b"\xc3")] == "⟨C3⟩"
    assert shown[tokeniser.pieces.index(b" ")] == "▁"


@each_kind
def test_training_again_gives_the_same(settings: type, tmp_path: Path) -> None:
    texts = sentences() + [line for line in nasty_lines(300) if len(line) < 1000]
    for name in "abc":
        save(train(settings(), texts), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()


@each_kind
def test_another_process_without_threads_gives_the_same(settings: type, tmp_path: Path) -> None:
    save(trained(settings), tmp_path / "here")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; import test_tokenisers as t;"
        f"from regard.text.tokenisers import {settings.__name__};"
        f"t.save(t.trained({settings.__name__}), Path(sys.argv[2]))"
    )
    environment = os.environ | {"TOKENIZERS_PARALLELISM": "false", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", code, str(Path(__file__).parent), str(tmp_path / "there")]
    subprocess.run(command, check=True, env=environment)
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


@each_kind
def test_saved_and_loaded_is_the_same(settings: type, tmp_path: Path) -> None:
    tokeniser = trained(settings)
    save(tokeniser, tmp_path / "tokeniser.json")
    loaded = load(tmp_path / "tokeniser.json")
    lines = sentences(50) + nasty_lines(200)
    assert (loaded.kind, loaded.pieces) == (tokeniser.kind, tokeniser.pieces)
    assert loaded.encode_all(lines) == tokeniser.encode_all(lines)
    assert loaded.to_json() == tokeniser.to_json()


@each_kind
@pytest.mark.parametrize("texts", [[], [""], ["a"], ["a a a a"]])
def test_little_text_is_enough(settings: type, texts: list[str]) -> None:
    tokeniser = train(settings(), texts)
    assert 259 <= tokeniser.size < 270
    assert tokeniser.decode(tokeniser.encode("never seen: é")) == "never seen: é"


@each_kind
def test_long_lines_take_no_long_time(settings: type) -> None:
    tokeniser = trained(settings)
    long = "mangeregardé" * 8_000
    start = time.perf_counter()
    ids = tokeniser.encode(long)
    assert tokeniser.spans(ids)[-1][1] == len(long)
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b'{"kind":"char"}', b'{"kind":"cha","pieces":[]}', b'{"kind":"bpe","pieces":["a"]}', b"\xff",
     b'{"kind":"unigram","pieces":["a"],"scores":[]}', b'{"kind":"bpe","pieces":["a"],"merges":[["b","c"]]}'],
)  # fmt: skip
def test_what_is_no_tokeniser_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tokeniser.json"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"tokeniser\.json: is not a tokeniser") as error:
        load(path)
    assert "\n" not in str(error.value)
    with pytest.raises(UserError, match="cannot be read"):
        load(tmp_path / "absent.json")


def test_words_are_cut_where_people_cut_them() -> None:
    line = "L'eau d’été, don't! हिन्दी में। 'hi' the boys' a.b"
    tokeniser = train(WordSettings(min_count=1), [line])
    shown = [tokeniser.piece_text(id_) for id_ in tokeniser.encode(line)]
    assert shown == [
        "▁L'", "eau", "▁d’", "été", ",", "▁don'", "t", "!", "▁हिन्दी", "▁में", "।",
        "▁'", "hi", "'", "▁the", "▁boys", "'", "▁a", ".", "b",
    ]  # fmt: skip


def test_a_word_is_the_same_piece_everywhere() -> None:
    for settings in (WordSettings, BpeSettings, UnigramSettings):
        tokeniser = trained(settings)
        assert tokeniser.encode("chien chien") == tokeniser.encode("chien") * 2


def test_rare_units_are_spelt() -> None:
    texts = ["été été hiver", "ça"]
    assert b" hiver" not in train(WordSettings(min_count=2), texts).pieces
    assert " été".encode() in train(WordSettings(min_count=2), texts).pieces
    assert train(WordSettings(min_count=1, max_size=1), texts).pieces[-1] == " été".encode()
    assert train(CharSettings(min_count=2), texts).pieces[-1] == "é".encode()


@pytest.mark.parametrize("settings", [BpeSettings(size=320), UnigramSettings(size=320)], ids=["bpe", "unigram"])
def test_subwords_have_the_size_asked_and_frequent_words_whole(settings: BpeSettings | UnigramSettings) -> None:
    assert train(settings, made(long_tail, 500)).size == 320
    pieces = trained(type(settings)).pieces
    assert all(word in pieces for word in [b" Le", b" chien", b" maison", b" regarde"])


def made(make: Callable[[random.Random], str], num: int = 4000) -> list[str]:
    chance = random.Random(2)
    return [make(chance) for _ in range(num)]


def spelt(chance: random.Random, letters: str, low: int, high: int) -> str:
    return "".join(chance.choices(letters, k=chance.randint(low, high)))


def date(chance: random.Random) -> datetime.date:
    return datetime.date(1970, 1, 1) + datetime.timedelta(chance.randrange(20_000))


def long_tail(chance: random.Random) -> str:
    """Words with Zipf's frequencies, as in a language."""
    return " ".join(f"w{'aeiou'[rank % 5]}{rank}x".translate(SPELL) for rank in zipf(chance))


SPELL = str.maketrans("0123456789", "bcdfghklmn")


def zipf(chance: random.Random) -> list[int]:
    return [int(20_000 ** chance.random()) for _ in range(12)]


LEXICON = [spelt(random.Random(n), "abdegilmnoprstu", 2, 8) for n in range(300)]
CASES: dict[str, tuple[Callable[[random.Random], str], type]] = {
    "spelling": (lambda chance: spelt(chance, "ABCDEFGHIJKLMNOPRSTUVW", 3, 11), CharSettings),
    "phonemes": (lambda chance: " ".join(chance.choices(["AH", "B", "IY", "D", "K"], k=5)), WordSettings),
    "commands": (lambda chance: " ".join(chance.choices(["I_TURN_LEFT", "I_WALK", "I_JUMP"], k=9)), WordSettings),
    "one-word answers": (lambda chance: chance.choice(["garden", "kitchen", "bathroom", "office"]), WordSettings),
    "sums": (lambda chance: f"{chance.randrange(1000)}+{chance.randrange(1000)}", CharSettings),
    "spaced sums": (lambda chance: f"{chance.randrange(1000)} + {chance.randrange(1000)}", CharSettings),
    "results": (lambda chance: str(chance.randrange(400)), CharSettings),
    "dates": (lambda chance: date(chance).strftime(chance.choice(["%B %d, %Y", "%d %b %y", "%A %d %b"])), CharSettings),
    "ISO dates": (lambda chance: date(chance).isoformat(), CharSettings),
    "letters": (lambda chance: spelt(chance, "abcdefgh", 1, 12), CharSettings),
    "spaced letters": (lambda chance: " ".join(spelt(chance, "abcdefgh", 1, 12)), WordSettings),
    "spaced digits": (lambda chance: " ".join(spelt(chance, "0123456789", 1, 12)), WordSettings),
    "a small grammar": (lambda chance: " ".join(chance.choices(LEXICON, k=8)).capitalize() + ".", WordSettings),
    "Chinese": (lambda chance: spelt(chance, "我你他是不了在有人这中大来上国个到说们为", 8, 20) + "。", CharSettings),
    "a language": (long_tail, BpeSettings),
    "nothing": (lambda chance: "", CharSettings),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_choice_follows_the_data(case: str) -> None:
    make, expected = CASES[case]
    chosen = choose(made(make))
    assert type(chosen.settings) is expected
    assert chosen.reason and "\n" not in chosen.reason


def test_the_size_of_subwords_follows_the_data() -> None:
    sizes = [choose(made(long_tail, num)).settings for num in (500, 1_500, 29_000)]
    assert sizes == [BpeSettings(size=500), BpeSettings(size=1000), BpeSettings(size=4000)]
    assert choose([]).settings == CharSettings()


def test_auto_is_not_trained() -> None:
    with pytest.raises(AssertionError):
        train(AutoSettings(), ["a"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_can_encode_in_silence() -> None:
    code = (
        "import sys, os; sys.path.insert(0, sys.argv[1]); import test_tokenisers as t;"
        "tokeniser = t.trained(t.BpeSettings); tokeniser.encode_all(t.sentences()); child = os.fork();"
        "tokeniser.encode_all(t.sentences()); child and sys.exit(os.waitpid(child, 0)[1])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "TOKENIZERS_PARALLELISM"}
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    done = subprocess.run(command, check=True, env=environment, capture_output=True, timeout=60)
    assert done.stdout == done.stderr == b""


def test_reading_settings_imports_nothing_heavy() -> None:
    code = (
        "import sys, regard.text.tokenisers; sys.exit(any(m in sys.modules for m in ('torch', 'numpy', 'tokenizers')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

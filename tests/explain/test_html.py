from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from explained import inspection

from regard.errors import UserError
from regard.explain.html import page
from regard.explain.inspection import END

VOID = {"meta"}


class Reader(HTMLParser):
    """Holds that every element is closed in its turn; keeps the tags, attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def count(self, tag: str) -> int:
        return sum(found == tag for found, _ in self.found)


def test_it_is_one_whole_page_without_scripts_or_links() -> None:
    text = page([inspection("a b", "c d"), inspection("x", "yz", ".")], title="Maps")
    reader = Reader(text)
    assert {"script", "link", "img", "iframe"}.isdisjoint(tag for tag, _ in reader.found)
    assert "http" not in text
    assert "@import" not in text
    assert "url(" not in text
    assert not any(name.startswith("on") for _, attributes in reader.found for name in attributes)
    assert "prefers-color-scheme: dark" in text
    assert ("title", "Maps") in reader.texts


def test_text_is_escaped_everywhere() -> None:
    nasty = "<b>&\"'x <script>alert(1)</script>"
    reader = Reader(page([inspection(nasty, nasty)], title=nasty))
    assert reader.count("b") == reader.count("script") == 0
    assert [text for tag, text in reader.texts if tag in {"h1", "title"}] == [nasty, nasty]
    assert reader.texts.count(("p", nasty)) == 2
    titles = [attributes["title"] for tag, attributes in reader.found if tag == "td" and "title" in attributes]
    assert any(title and title.startswith("<b>&\"'x ← <b>&\"'x: ") for title in titles)


def test_every_weight_and_logprob_is_there() -> None:
    seen = inspection("ab cd", "ef gh i", r"\s?\S")
    reader = Reader(page([seen], title="t"))
    titles = [attributes["title"] for tag, attributes in reader.found if tag == "td" and "title" in attributes]
    merged, pieces = seen.map(merged=True), seen.map(merged=False)
    expected = [f": {weight:.4f}" for map_ in (merged, pieces) for weight in map_.weights_TS.flat]
    assert [title[-8:] for title in titles if title] == expected
    assert titles[-1] == f"{END} ← {END}: {pieces.weights_TS[-1, -1]:.4f}"
    logprobs = [text for tag, text in reader.texts if tag == "td"]
    assert logprobs == [f"{logprob:.2f}" for logprob in seen.logprobs]
    marked = [attributes for tag, attributes in reader.found if tag == "td" and attributes.get("class") == "top"]
    assert len(marked) == len(merged.rows) + len(pieces.rows)


def test_pieces_are_folded_away_where_words_say_more() -> None:
    assert Reader(page([inspection("a b", "c d")], title="t")).count("details") == 1
    characters = Reader(page([inspection("phoenix", "F IY N", ".")], title="t"))
    assert (characters.count("details"), characters.count("table")) == (0, 1)


def test_a_table_for_each_layer() -> None:
    reader = Reader(page([inspection("a b", "c d", num_layers=3, num_heads=2)], title="t"))
    captions = [text for tag, text in reader.texts if tag == "caption"]
    assert captions == 2 * [f"Layer {layer}, mean of 2 heads" for layer in range(3)]


def test_one_layer_and_one_head_if_asked_for() -> None:
    some = inspection("a b", "c d", num_layers=3, num_heads=2)
    reader = Reader(page([some], title="t", layer=1, head=0))
    assert [text for tag, text in reader.texts if tag == "caption"] == 2 * ["Layer 1, head 0"]
    assert page([some], title="t", layer=1, head=0) != page([some], title="t", layer=1, head=1)
    with pytest.raises(UserError, match="layer"):
        page([some], title="t", layer=3)


@pytest.mark.parametrize("sums_to_one", [True, False])
def test_weights_that_do_not_sum_to_one_are_said_to(sums_to_one: bool) -> None:
    assert ("need not sum" in page([inspection("a b", "c d", sums_to_one=sums_to_one)], title="t")) != sums_to_one


def test_writing_direction_is_that_of_each_text() -> None:
    text = page([inspection("السلام عليكم", "peace be \u202eupon\x00")], title="t")
    reader = Reader(text)
    directed = [tag for tag, attributes in reader.found if attributes.get("dir") == "auto"]
    assert {"h1", "p", "th", "span"} <= set(directed)
    assert "\u202e" not in text
    assert "\x00" not in text


def test_no_inspections() -> None:
    assert Reader(page([], title="t")).count("section") == 0


def test_a_text_that_was_only_read_has_no_logprobs() -> None:
    read = replace(inspection("a b", "a b"), logprobs=(), itself="source")
    made = page([read], title="read")
    assert "looked at itself when it was read" in made and 'class="target"' not in made
    assert "log" not in made.split("</style>")[1]
    assert "By pieces" in made

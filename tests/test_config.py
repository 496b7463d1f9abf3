"""Settings are read strictly, and layers are merged as tables."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from msgspec.inspect import Metadata, StructType

from regard.config import Choice, Meta, Plain, Table, merge, parse_set, read, read_toml, to_table, to_toml, walk
from regard.errors import UserError
from regard.nn.scores import AdditiveSettings
from regard.run.settings import Settings, layered, preset, presets

# merging


def test_later_layers_win_and_what_is_not_said_is_inherited() -> None:
    assert merge({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 4}}, {"e": 5}) == {"a": 1, "b": {"c": 2, "d": 4}, "e": 5}


def test_a_changed_kind_replaces_its_table() -> None:
    old = {"score": {"kind": "additive", "size": 64, "unit": True}}
    assert merge(old, {"score": {"kind": "dot"}}) == {"score": {"kind": "dot"}}


def test_the_same_kind_or_none_inherits() -> None:
    old = {"score": {"kind": "additive", "size": 64, "unit": True}}
    assert merge(old, {"score": {"size": 32}}) == {"score": {"kind": "additive", "size": 32, "unit": True}}
    assert merge(old, {"score": {"kind": "additive", "size": 32}})["score"]["unit"] is True


def test_a_changed_kind_replaces_what_is_below_it_too() -> None:
    old = {"wiring": {"kind": "before", "score": {"kind": "additive", "size": 64}}}
    assert merge(old, {"wiring": {"kind": "after", "feed": False}}) == {"wiring": {"kind": "after", "feed": False}}


def test_a_value_replaces_a_table_and_a_table_a_value() -> None:
    assert merge({"a": {"b": 1}}, {"a": 2}) == {"a": 2}
    assert merge({"a": 2}, {"a": {"b": 1}}) == {"a": {"b": 1}}


def test_merging_leaves_the_layers_alone() -> None:
    first, second = {"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}
    merged = merge(first, second)
    merged["a"]["b"]["c"] = 9
    assert (first, second) == ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}})


# --set


def test_assignments_are_toml_or_else_text() -> None:
    assignments = ["a.b=3", "a.c=word", "a.d=0.5", "e=true", 'f="3"', "g = x=y", "h=[1, 2]", "i={j = 1}", "k="]
    assert parse_set(assignments) == {
        "a": {"b": 3, "c": "word", "d": 0.5},
        "e": True,
        "f": "3",
        "g": " x=y",
        "h": [1, 2],
        "i": {"j": 1},
        "k": "",
    }


def test_assignments_are_one_layer_in_whatever_order() -> None:
    wanted = {"wiring": {"kind": "after", "feed": False}}
    assert parse_set(["wiring.kind=after", "wiring.feed=false"]) == wanted
    assert parse_set(["wiring.feed=false", "wiring.kind=after"]) == wanted
    assert parse_set(["a=1", "a=2"]) == {"a": 2}
    assert parse_set(["a=1", "a.b=2"]) == {"a": {"b": 2}}


@pytest.mark.parametrize("assignment", ["train.steps", "=3", " =3", ""])
def test_what_is_no_assignment_is_refused(assignment: str) -> None:
    with pytest.raises(UserError, match="expected NAME=VALUE"):
        parse_set([assignment])


# strict reading


class Place(msgspec.Struct, frozen=True):
    """A setting, and a way to make the smallest table that says something there."""

    path: str
    name: str
    info: Any
    wrap: Callable[[Plain], Plain]


def places(info: Any, path: str = "", wrap: Callable[[Plain], Plain] = lambda table: table) -> Iterator[Place]:
    """Every setting that can stand below a type, in every union's every kind."""
    while isinstance(info, Metadata):
        info = info.type
    for struct in getattr(info, "types", (info,)):
        if not isinstance(struct, StructType):
            continue
        kind = {} if struct.tag is None else {"kind": struct.tag}

        def here(table: Plain, kind: Plain = kind) -> Plain:
            return wrap(kind | table)

        for field in struct.fields:
            below = f"{path}.{field.name}" if path else field.name

            def inside(table: Plain, here: Any = here, name: str = field.name) -> Plain:
                return here({name: table})  # type: ignore[no-any-return]

            yield Place(below, field.name, field.type, here)
            yield from places(field.type, below, inside)


PLACES = list(places(msgspec.inspect.type_info(Settings)))


def test_the_places_are_those_of_walk() -> None:
    tables = list(walk(Settings))
    assert len(PLACES) == sum(len(table.__struct_fields__) for _, table in tables) > 100
    assert {place.path.rpartition(".")[0] for place in PLACES} == {
        path for path, table in tables if table.__struct_fields__
    }


def test_every_misspelt_setting_is_refused_with_its_path() -> None:
    for place in PLACES:
        for wrong in (place.name + "x", place.name[:-1] + "q" + place.name[-1]):
            with pytest.raises(UserError) as caught:
                layered(place.wrap({wrong: 1}), where="my.toml")
            path = place.path.removesuffix(place.name) + wrong
            message = str(caught.value)
            assert message.startswith(f"my.toml: there is no setting `{path}`"), message
            assert f"did you mean `{place.name}`?" in message
            assert "\n" not in message


def test_every_wrong_type_is_refused_with_its_path() -> None:
    for place in PLACES:
        with pytest.raises(UserError) as caught:
            layered(place.wrap({place.name: [["nonsense"]]}), where="my.toml")
        # of a list, its first is what is wrong
        assert re.match(rf"my\.toml: {re.escape(place.path)}(\[0\])?: expected ", str(caught.value)), str(caught.value)


def test_every_misspelt_kind_is_refused_with_its_path() -> None:
    tagged = [
        (place, str(struct.tag))
        for place in PLACES
        for struct in getattr(getattr(place.info, "type", None), "types", ())
        if isinstance(struct, StructType) and struct.tag
    ]
    assert len(tagged) > 20
    for place, tag in tagged:
        wrong: Any
        for wrong in (tag + "x", 3, ["dot"], {"a": 1}):
            table = place.wrap({place.name: {"kind": wrong}})
            with pytest.raises(UserError, match=rf"my\.toml: {place.path}\.kind = .* is not one of .*{tag}") as caught:
                layered(table, where="my.toml")
            if wrong == tag + "x":
                assert f"did you mean `{tag}`?" in str(caught.value)


class Left(Choice, frozen=True, tag="left"):
    """One."""

    size: Annotated[int, Meta(ge=1, description="its width")] = 1


class Right(Choice, frozen=True, tag="right"):
    """The other."""


class Root(Table, frozen=True):
    """Both."""

    side: Annotated[Left | Right | None, Meta(description="which")] = Left()
    rate: Annotated[float, Meta(ge=0, description="how fast")] = 0.5


def test_the_kind_must_be_said_where_there_are_several_and_no_default() -> None:
    assert read({"side": {"kind": "right"}}, Root) == Root(side=Right())
    assert read({"side": None}, Root) == Root(side=None)
    assert read({"side": {"size": 3}}, Root) == Root(side=Left(size=3))
    with pytest.raises(UserError, match=r"^settings: kind is missing: one of left, right$"):
        read({}, Left | Right)  # type: ignore[arg-type]


def test_values_out_of_bounds_are_refused_with_their_path() -> None:
    with pytest.raises(UserError, match=r"^here: side\.size: expected `int` >= 1$"):
        read({"side": {"kind": "left", "size": 0}}, Root, "here")
    with pytest.raises(UserError, match=r"^here: rate: expected `float`, got `str`$"):
        read({"rate": "fast"}, Root, "here")
    assert read({"rate": 1}, Root).rate == 1.0


# writing


@pytest.mark.parametrize("name", presets())
def test_toml_is_read_back_as_it_was_written(name: str) -> None:
    settings = layered(preset(name), where=name)
    text = to_toml(to_table(settings))
    assert read(merge(to_table(Settings()), tomllib.loads(text)), Settings) == settings


def test_every_value_is_written_as_toml() -> None:
    table = {
        "text": 'a "quoted" \\ word,\n\ttabs, é, 語, \x7f \x00 and \u2028',
        "numbers": [1, -2, 0.1, 1e-9, 1e300, float("inf")],
        "nested": {"on": True, "deeper": {"deepest": {"off": False}}, "empty": {}},
        "only": {"tables": {"x": 1}},
        "none": [],
    }
    assert tomllib.loads(to_toml(table)) == table


def test_toml_has_no_null_so_none_is_left_out() -> None:
    assert tomllib.loads(to_toml({"a": None, "b": {"c": None, "d": 1}})) == {"b": {"d": 1}}


# reading


def test_toml_that_cannot_be_read_is_refused_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    with pytest.raises(UserError, match=r"my\.toml: cannot be read: No such file"):
        read_toml(path)
    with pytest.raises(UserError, match=r"cannot be read: Is a directory"):
        read_toml(tmp_path)
    path.write_bytes(b"a = 1\nb = \n")
    with pytest.raises(UserError, match=r"my\.toml: is not TOML: .*line 2"):
        read_toml(path)
    path.write_bytes(b"a = '\xff'")
    with pytest.raises(UserError, match=r"my\.toml: is not UTF-8 \(byte 5\)"):
        read_toml(path)
    for encoding in ("utf-8", "utf-8-sig"):
        path.write_text("a = 'é'\n", encoding=encoding)
        assert read_toml(path) == {"a": "é"}


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("search.margin=inf", "search.margin = inf: expected a finite number"),
        ("train.clip=inf", "train.clip = inf: expected a finite number"),
        (
            "seed=18446744073709551616",
            "seed = 18446744073709551616: expected a number of at most 9,007,199,254,740,992",
        ),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_path(assignment: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        layered(parse_set([assignment]), where="here")


def test_a_table_without_its_kind_goes_on_from_the_default() -> None:
    changed = {"model": {"decoder": {"wiring": {"kind": "after", "score": {"size": 7}}}}}
    score = layered(changed, where="here").model.decoder.wiring.score  # type: ignore[union-attr]
    assert score == AdditiveSettings(size=7)


def test_a_layer_without_its_kind_inherits_from_the_layer_below() -> None:
    wirings: list[Plain] = [{"score": {"size": 32}}, {"kind": "before"}]
    layers = [{"model": {"decoder": {"wiring": wiring}}} for wiring in wirings]
    assert layered(*layers, where="here").model.decoder.wiring.score == AdditiveSettings(size=32)  # type: ignore[union-attr]


def test_none_is_none_where_it_can_be_and_a_kind_elsewhere() -> None:
    said = parse_set(
        ["train.validate_every=none", "model.encoder.kind=transformer", "model.encoder.positions.kind=none"]
    )
    settings = layered({"train": {"validate_every": 5}}, said, where="here")
    assert settings.train.validate_every is None
    assert to_table(settings.model)["encoder"]["positions"] == {"kind": "none"}
    with pytest.raises(UserError, match=r"train\.batch_tokens: expected `int`"):
        layered(parse_set(["train.batch_tokens=none"]), where="here")
    with pytest.raises(UserError, match=r"train\.minutes: expected `float \| none`"):
        layered(parse_set(["train.minutes=null"]), where="here")


@pytest.mark.parametrize("said", ["yes", "true"])
def test_a_wrong_word_is_told_the_right_ones(said: str) -> None:
    from regard.models import Seq2SeqSettings

    table = parse_set([f"both_ways={said}"])
    with pytest.raises(UserError, match=r"both_ways: .*; it is one of apart, no, shared$"):
        read({"kind": "seq2seq", **table}, Seq2SeqSettings)
    with pytest.raises(UserError, match=r"decoder\.cell: .*; it is one of gru, lstm, tanh$"):
        read({"kind": "seq2seq", "decoder": {"kind": "rnn", "cell": said}}, Seq2SeqSettings)

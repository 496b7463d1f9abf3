"""The comparison compares like with like: one network, one count of its work, turns that do not overlap."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from regard import config, models
from regard.models import Seq2SeqSettings
from regard.run import settings

PEERS = Path(__file__).parent.parent / "bench" / "peers"
SIZES = {"vocabulary": 50, "embedding": 12, "encoder": 8, "decoder": 16, "attention": 20, "dropout": 0.0}
B, S, T = 3, 5, 7


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The programs are scripts that find each other in their own directory."""
    monkeypatch.syspath_prepend(str(PEERS))
    monkeypatch.setenv("PYTHONPATH", str(PEERS))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(PEERS) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def parameters(network: torch.nn.Module) -> int:
    return sum(p.numel() for p in network.parameters())


def regard_network(wiring: str) -> Any:
    score = {"kind": "additive", "size": SIZES["attention"]}
    table = {
        "embedding": {"size": SIZES["embedding"], "share": "none"},
        "encoder": {"size": SIZES["encoder"]},
        "decoder": {"size": SIZES["decoder"], "wiring": {"kind": wiring, "score": score}},
        "fast": False,  # torch's counter does not see into the twins
    }
    settings = config.read(config.merge(config.to_table(Seq2SeqSettings()), table), Seq2SeqSettings, "here")
    return models.build_seq2seq(settings, num_source=50, num_target=50, joint=False)


def batch() -> tuple[torch.Tensor, ...]:
    return torch.randint(3, 50, (B, S)), torch.full((B,), S), torch.randint(3, 50, (B, T + 1))


@pytest.mark.usefixtures("peers")
def test_the_tutorial_has_the_same_network() -> None:
    import plain

    assert parameters(plain.Seq2Seq(**SIZES)) == parameters(regard_network("before"))


@pytest.mark.usefixtures("peers")
@pytest.mark.parametrize("program", ["plain", "regard before", "regard after"])
def test_the_work_of_a_token_is_counted_right(program: str) -> None:
    import plain
    from shape import Shape, flop

    source, length, target = batch()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        if program == "plain":
            plain.Seq2Seq(**SIZES)(source, length, target[:, :-1])
        else:
            network = regard_network(program.split()[1])
            network.force(network.encode(source, length), target, torch.full((B,), T))
    shape = Shape(**SIZES, wiring="after" if program == "regard after" else "before")
    work = flop(shape, num_sources=S / T, num_positions=S, num_sentences=1 / T) * B * T
    # forward only: a third
    assert counter.get_total_flops() == pytest.approx(work / 3)


@pytest.mark.usefixtures("peers")
def test_programs_take_turns(tmp_path: Path) -> None:
    import conduct

    script = tmp_path / "program.py"
    script.write_text(
        "from pace import Pace\n"
        "pace = Pace()\n"
        "print('a library talks')\n"
        "pace.say(name=pace.job['name'])\n"
        "while True:\n"
        "    turn = pace.wait()['turn']\n"
        "    with open(pace.job['book'], 'a') as book:\n"
        "        print(pace.job['name'], turn, file=book)\n"
        "    if pace.job['name'] == 'dies' and turn == 2:\n"
        "        raise SystemExit('out of memory')\n"
        "    pace.say(rate=turn)\n"
    )
    book = tmp_path / "book"
    nothing: dict[str, Any] = dict.fromkeys(conduct.Plan.__dataclass_fields__, 0)
    plan = conduct.Plan(**nothing | {"work": tmp_path})
    names = ["a", "dies", "b"]
    peers = [conduct.begin(plan, n, "regard", str(script), {"name": n, "book": str(book)}) for n in names]
    found = conduct.alternate(peers, 2, [{"turn": 1}, {"turn": 2}])
    assert found == {name: [[{"rate": 1}] * 2, [{"rate": 2}] * 2] for name in ("a", "b")}
    order = ["a 1", "dies 1", "b 1", "a 2", "dies 2", "b 2", "a 1", "b 1", "a 2", "b 2"]
    assert book.read_text().splitlines() == order


@pytest.mark.usefixtures("peers")
def test_a_program_that_is_not_there_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import conduct

    monkeypatch.setitem(conduct.PYTHONS, "joeynmt", tmp_path / ".venv-joeynmt" / "bin" / "python")
    nothing: dict[str, Any] = dict.fromkeys(conduct.Plan.__dataclass_fields__, 0)
    plan = conduct.Plan(**nothing | {"work": tmp_path})
    assert conduct.begin(plan, "JoeyNMT", "joeynmt", "train_joeynmt.py", {}) is None


def test_every_step_of_the_ladder_is_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the recipe's settings to each step's: no setting of a part that is replaced is left behind."""
    monkeypatch.syspath_prepend(str(PEERS.parent))
    from measured.ladder import LADDER
    from measured.tools import sets

    recipe = config.read_toml(PEERS.parent.parent / "recipes" / "multi30k-ende-rnn.toml")
    seen = set()
    for name, step in LADDER.items():
        changed = config.parse_set(sets(step)[1::2])
        model = settings.layered(settings.preset("base"), recipe, changed, where=name).model
        assert isinstance(model, Seq2SeqSettings)
        models.build_seq2seq(model, num_source=50, num_target=50, joint=False)
        seen.add(config.to_toml(config.to_table(model)))
    assert len(seen) == len(LADDER), "each differs from all others"


def test_the_page_has_the_commands_of_the_ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands behind REC on the page trains what stands in its table."""
    monkeypatch.syspath_prepend(str(PEERS.parent))
    import attention
    from measured.ladder import LADDER
    from measured.tools import sets

    page = " ".join(attention.PAGE.read_text(encoding="utf-8").split())
    for name, step in LADDER.items():
        assert "`" + " ".join(["REC", *sets(step)]) + "`" in page, name
    for part in attention.PARTS:
        assert f"<!-- {part} --> " in page and f"<!-- end of {part} -->" in page, part


def test_language_models_are_of_like_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PEERS.parent))
    from measured.shakespeare import WRITERS
    from measured.tools import sets

    recipe = config.read_toml(PEERS.parent.parent / "recipes" / "shakespeare.toml")
    sizes = {}
    for name, writer in WRITERS.items():
        changed = config.parse_set(sets(writer)[1::2])
        model = settings.layered(settings.preset(recipe["preset"]), recipe, changed, where=name).model
        assert isinstance(model, models.LanguageModelSettings)
        sizes[name] = parameters(models.build_language_model(model, num_tokens=323))
    assert max(sizes.values()) < 1.1 * min(sizes.values()), sizes


def test_commands_and_stories_are_given_to_models_that_can_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PEERS.parent))
    from measured.babi import READERS
    from measured.scan import ACTORS
    from measured.tools import ONE_CORE, sets

    changes = dict(ACTORS)
    changes |= {name: ("small", change) for name, change in READERS.items()}
    seen = set()
    for name, (preset, change) in changes.items():
        changed = config.parse_set(sets({**ONE_CORE, **change})[1::2])
        read = settings.layered(settings.preset(preset), changed, where=name)
        assert isinstance(read.model, Seq2SeqSettings) and read.train.workers == 1
        models.build_seq2seq(read.model, num_source=50, num_target=50, joint=False)
        seen.add(config.to_toml(config.to_table(read)))
    assert len(seen) == len(changes)


def test_a_row_that_was_measured_is_kept_and_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(PEERS.parent))
    import attention

    asked: list[str] = []
    broken = {"second"}

    def rows() -> attention.Rows:
        for name in ("first", "second", "third"):
            yield name, lambda name=name: measure(name)

    def measure(name: str) -> dict[str, Any]:
        asked.append(name)
        if name in broken:
            raise InterruptedError
        return {"parameters": len(name)}

    monkeypatch.setattr(attention, "RESULTS", tmp_path)
    monkeypatch.setattr(attention, "PARTS", {"part": rows})
    monkeypatch.setenv("REGARD_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["attention.py", "part"])
    with pytest.raises(InterruptedError):
        attention.main()
    broken.clear()
    attention.main()
    assert asked == ["first", "second", "second", "third"]
    assert list(json.loads((tmp_path / "part.json").read_text())) == ["first", "second", "third"]


def test_a_recipe_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PEERS.parent))
    import recipes

    asked: list[tuple[str, ...]] = []
    out = tmp_path / "run"
    out.mkdir()
    monkeypatch.setattr(recipes, "regard", lambda *arguments: asked.append(arguments))
    recipes.train("cmudict-rnn", out)
    (out / "took.json").unlink()
    (out / "timings.jsonl").write_text('{"step":1,"seconds":20.5}\n{"step":2,"seconds":3000.5}\n')
    assert 3000.5 <= recipes.train("cmudict-rnn", out) < 3060
    assert recipes.train("cmudict-rnn", out) > 3000, "what has ended is not trained again"
    assert [arguments[:2] for arguments in asked] == [
        ("train", "--settings"),
        ("train", "--resume"),
    ]

"""A model directory ↔ a Model that translates, scores, inspects.

    model/   config.json   model.safetensors   tokeniser.source.json   tokeniser.target.json   README.md   SHA256SUMS

The directory needs nothing outside itself, holds no path, and loading it runs no code of its own.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

import regard
from regard import files, models
from regard.config import to_table
from regard.errors import UserError
from regard.evaluate import alignment
from regard.explain.inspection import Inspection, Piece, word_weights
from regard.models.weights import load_weights, weights
from regard.search import BeamSettings, GreedySettings, SearchSettings, check_attends, check_num_best
from regard.tasks.evaluation import Evaluation, Outputs, evaluate
from regard.tasks.transduce import LengthRule, Transducer, target_ids
from regard.text import tokenisers
from regard.text.batch import Example
from regard.text.pair import Pair
from regard.text.tokenisers.base import Tokeniser

FORMAT = 1  # rises when an older regard could not read what this one writes
_READ = ("config.json", "model.safetensors", "tokeniser.source.json", "tokeniser.target.json")


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """`config.json`: what is needed to build the network again, and what is known of it."""

    format: int
    regard: str
    task: Literal["transduce"]
    model: models.ModelSettings
    search: SearchSettings
    joint: bool
    length_ratio: float
    measures: list[dict[str, Any]]  # on the validation pairs
    training: dict[str, Any]  # how it came to be: pairs, steps, seed, …


@dataclass(frozen=True)
class Translation:
    text: str
    tokens: tuple[int, ...]
    logprob: float
    score: float
    finished: bool  # False if it was cut at its maximum length


@dataclass(frozen=True)
class Model:
    task: Transducer
    config: Config

    def translate(
        self, texts: Sequence[str], *, beam: int | None = None, prefix: str = "", workers: int | None = None
    ) -> list[str]:
        """The best output for each text. Without `beam` it searches as the model's own settings say.

        `workers` batches are searched at once, each on one core: all cores if not given.
        """
        return [best[0].text for best in self.search(texts, self.searching(beam), prefix=prefix, workers=workers)]

    def search(
        self,
        texts: Sequence[str],
        settings: SearchSettings,
        *,
        num_best: int = 1,
        prefix: str = "",
        first: int = 0,
        workers: int | None = None,
    ) -> list[list[Translation]]:
        """The `num_best` outputs for each text, best first. A blank text becomes a blank one, unseen by the model.

        `first` is the number of the first text among those that are sampled with one seed.
        """
        if isinstance(texts, str):
            raise UserError("translate takes a list of texts, not one text: put it in brackets")
        check_num_best(settings, num_best)
        check_attends(settings, self.task.network.decoder.attends)
        full = [number for number, text in enumerate(texts) if text.strip()]
        found = self.task.search(
            self.task.sources([texts[number] for number in full]),
            settings,
            num_best=num_best,
            prefix=self.task.target.encode(prefix) if prefix else (),
            names=[first + number for number in full],
            workers=workers,
        )
        results = [[Translation("", (), 0.0, 0.0, True)] for _ in texts]
        for number, hypotheses in zip(full, found, strict=True):
            results[number] = [
                Translation(self.task.target.decode(h.tokens), h.tokens, h.logprob, h.score, h.finished)
                for h in hypotheses
            ]
        return results

    def searching(self, beam: int | None = None) -> SearchSettings:
        """The model's own way to search, with another beam width if one is given (1 is greedy)."""
        own = self.config.search
        if beam is None:
            return own
        if beam < 1:
            raise UserError(f"a beam of width {beam} is none: give 1 for greedy search, or more")
        if beam == 1:
            return GreedySettings()
        return msgspec.structs.replace(own if isinstance(own, BeamSettings) else BeamSettings(), width=beam)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """log P(target | source) of each pair, the end included."""
        looked = self.task.look(self.task.examples([Pair.of(*pair) for pair in pairs]), weights=False)
        return [sum(one.logprobs) for one in looked]

    def inspect(self, text: str, target: str | None = None, *, beam: int | None = None) -> Inspection:
        """Where the model looked when it wrote its output for `text`, or where it would for a given `target`."""
        if target is None:
            tokens = self.search([text], self.searching(beam))[0][0].tokens
        else:
            tokens = tuple(self.task.target.encode(target))
        return self.inspections([(text, tokens)])[0]

    def align(self, pairs: Sequence[Pair]) -> list[frozenset[alignment.Link]]:
        """Word links (source, target) of given pairs, from the attention alone."""
        forced = [(pair.source, tuple(self.task.target.encode(pair.target))) for pair in pairs]
        return [alignment.links(word_weights(inspection)) for inspection in self.inspections(forced)]

    def evaluate(
        self,
        pairs: Sequence[Pair],
        *,
        settings: SearchSettings | None = None,
        lengths: bool = False,
        golds: Sequence[alignment.Gold] | None = None,
        tokenize: str = "13a",
        workers: int | None = None,
    ) -> Evaluation:
        """How good the outputs for the sources of `pairs` are; with gold links also how good the alignments are."""
        outputs = self.outputs(pairs, settings, align=golds is not None, workers=workers)
        return evaluate(outputs, pairs, self.task.kinds, lengths=lengths, golds=golds, tokenize=tokenize)

    def outputs(
        self,
        pairs: Sequence[Pair],
        settings: SearchSettings | None = None,
        *,
        align: bool = False,
        workers: int | None = None,
    ) -> Outputs:
        """The best output for each source of `pairs`; the word links of the pairs as well if they are to `align`."""
        found = self.search([pair.source for pair in pairs], settings or self.config.search, workers=workers)
        return Outputs([best[0].text for best in found], self.align(pairs) if align else None)

    def check_attends(self) -> None:
        if not self.task.network.decoder.attends:
            wiring = to_table(self.config.model.decoder)["wiring"]
            raise UserError(f"this model has no attention to look at: its wiring is `{wiring['kind']}`")

    def inspections(self, items: Sequence[tuple[str, Sequence[int]]]) -> list[Inspection]:
        """Where the model looks when it writes given tokens for given texts."""
        self.check_attends()
        sources = self.task.sources([text for text, _ in items])
        examples = [Example(source, target_ids(tokens)) for source, (_, tokens) in zip(sources, items, strict=True)]
        result = []
        for example, looked, (text, _) in zip(examples, self.task.look(examples), items, strict=True):
            assert looked.weights_LHTS is not None
            written = example.target[1:].tolist()
            result.append(
                Inspection(
                    source=text,
                    target=self.task.target.decode(written),
                    source_pieces=_pieces(self.task.source, example.source.tolist()),
                    target_pieces=_pieces(self.task.target, written),
                    weights_LHTS=looked.weights_LHTS,
                    logprobs=looked.logprobs,
                    sums_to_one=self.task.network.decoder.sums_to_one,
                )
            )
        return result


def _pieces(tokeniser: Tokeniser, ids: Sequence[int]) -> tuple[Piece, ...]:
    return tuple(
        Piece(tokeniser.piece_text(id_), start, end)
        for id_, (start, end) in zip(ids, tokeniser.spans(ids), strict=True)
    )


def save(model: Model, directory: Path, card: str) -> None:
    """Write a model directory, whole or not at all."""
    with files.directory(directory) as place:
        (place / "config.json").write_bytes(msgspec.json.format(msgspec.json.encode(model.config), indent=2) + b"\n")
        save_file(weights(model.task.network), place / "model.safetensors")
        tokenisers.save(model.task.source, place / "tokeniser.source.json")
        tokenisers.save(model.task.target, place / "tokeniser.target.json")
        (place / "README.md").write_text(card, encoding="utf-8")
        (place / "SHA256SUMS").write_text(_sums(place), encoding="utf-8")


def load(path: str | Path, *, device: str = "cpu") -> Model:
    """The model in a directory: a run, or the `model/` in it."""
    directory = find(Path(path))
    _check_sums(directory)
    _check_format(directory)
    try:
        config = msgspec.json.decode((directory / "config.json").read_bytes(), type=Config)
    except msgspec.MsgspecError as error:
        raise UserError(f"{directory / 'config.json'}: is not a model's config: {error}") from None
    source = tokenisers.load(directory / "tokeniser.source.json")
    target = source if config.joint else tokenisers.load(directory / "tokeniser.target.json")
    network = models.build(config.model, num_source=source.size, num_target=target.size, joint=config.joint)
    try:
        load_weights(network, load_file(directory / "model.safetensors"))
    except (OSError, ValueError, SafetensorError) as error:
        raise UserError(f"{directory / 'model.safetensors'}: {error}") from None
    network.to(find_device(device))
    return Model(Transducer(network, source, target, LengthRule(config.length_ratio)), config)


def find(path: Path) -> Path:
    """The model directory that `path` means, or a UserError that says what is there instead."""
    for directory in (path, path / "model"):
        if (directory / "config.json").is_file():
            return directory
    if not path.exists():
        raise UserError(f"{path}: there is no such directory")
    if (path / "settings.json").exists():
        raise UserError(
            f"{path}: this run has no model yet; go on with: regard train --resume {shlex.quote(str(path))}"
        )
    raise UserError(f"{path}: is not a model: there is no config.json in it, nor in a model/ below it")


def find_device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"--device {name}: cannot be used here ({reason}); cpu always can") from None
    return device


def _sums(directory: Path) -> str:
    return "".join(f"{hashlib.sha256((directory / name).read_bytes()).hexdigest()}  {name}\n" for name in _READ)


def _check_sums(directory: Path) -> None:
    try:
        given = (directory / "SHA256SUMS").read_text(encoding="utf-8")
        actual = _sums(directory)
    except OSError as error:
        raise UserError(f"{error.filename}: cannot be read ({error.strerror}); the model is not whole") from None
    for line in actual.splitlines():
        if line not in given.splitlines():
            raise UserError(
                f"{directory / line.split()[1]}: was changed after the model was written: SHA256SUMS differs"
            )


def _check_format(directory: Path) -> None:
    """A model of the future deserves a better message than a list of what is wrong with it."""
    try:
        found = msgspec.json.decode((directory / "config.json").read_bytes())["format"]
    except (msgspec.MsgspecError, KeyError, TypeError):
        raise UserError(f"{directory / 'config.json'}: is not a model's config") from None
    if found != FORMAT:
        raise UserError(f"{directory}: is a model of format {found}; regard {regard.__version__} reads format {FORMAT}")

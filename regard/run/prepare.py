"""From settings to something that can be trained: every choice made, every refusal said, before the first step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import torch

from regard import models
from regard.errors import UserError
from regard.model import find_device
from regard.run.corpus import Corpus
from regard.run.settings import Settings
from regard.search import check_attends
from regard.tasks.transduce import LengthRule, Transducer
from regard.text import tokenisers
from regard.text.batch import Epochs, Example, Ids
from regard.text.tokenisers import AutoSettings, TokeniserSettings
from regard.text.tokenisers.base import BOS, EOS, Tokeniser
from regard.text.tokenisers.subword import BpeTokeniser
from regard.text.vary import Varied


@dataclass(frozen=True)
class Texts:
    """The two tokenisers, the settings they have now that `auto` has chosen, and why it chose so."""

    source: Tokeniser
    target: Tokeniser
    settings: Settings
    reasons: dict[str, str] = field(default_factory=dict)


def learn_tokenisers(settings: Settings, corpus: Corpus) -> Texts:
    sources = [pair.source for pair in corpus.train]
    targets = [pair.target for pair in corpus.train]
    text, reasons = settings.text, {}
    if text.joint:
        if text.target not in (AutoSettings(), text.source):
            raise UserError("text.target: with text.joint=true there is one tokeniser, which text.source describes")
        both = [*sources, *targets]
        chosen, reasons["source"] = _settle(text.source, both)
        reasons["target"] = "joint"
        source = target = tokenisers.train(chosen, both)
        text = msgspec.structs.replace(text, source=chosen, target=chosen)
    else:
        chosen_source, reasons["source"] = _settle(text.source, sources)
        chosen_target, reasons["target"] = _settle(text.target, targets)
        source, target = tokenisers.train(chosen_source, sources), tokenisers.train(chosen_target, targets)
        text = msgspec.structs.replace(text, source=chosen_source, target=chosen_target)
    return Texts(source, target, msgspec.structs.replace(settings, text=text), reasons)


def _settle(settings: TokeniserSettings, texts: list[str]) -> tuple[TokeniserSettings, str]:
    if not isinstance(settings, AutoSettings):
        return settings, "as set"
    chosen = tokenisers.choose(texts)
    return chosen.settings, chosen.reason


def stored_tokenisers(settings: Settings, directory: Path) -> Texts:
    source = tokenisers.load(directory / "source.json")
    target = source if settings.text.joint else tokenisers.load(directory / "target.json")
    return Texts(source, target, settings, {"source": "stored", "target": "stored"})


def store_tokenisers(texts: Texts, directory: Path) -> None:
    tokenisers.save(texts.source, directory / "source.json")
    tokenisers.save(texts.target, directory / "target.json")


def build(texts: Texts, corpus: Corpus, *, device: str) -> tuple[Transducer, list[Example]]:
    """The network with its first weights, and the training pairs as numbers."""
    settings = texts.settings
    torch.manual_seed(settings.seed)
    network = models.build(
        settings.model, num_source=texts.source.size, num_target=texts.target.size, joint=settings.text.joint
    ).to(find_device(device))
    check_attends(settings.search, network.decoder.attends)
    if settings.train.tensorboard:
        _check_tensorboard()
    draft = Transducer(network, texts.source, texts.target, LengthRule(1.0))
    examples = draft.examples(corpus.train)
    return Transducer(network, texts.source, texts.target, LengthRule.learn(examples)), examples


def vary(texts: Texts, corpus: Corpus, examples: list[Example]) -> Epochs:
    """The training pairs of each epoch: the same ones, or with sub-words formed anew."""
    train, seed = texts.settings.train, texts.settings.seed
    if train.bpe_dropout == 0:
        return lambda epoch: examples
    if not any(isinstance(tokeniser, BpeTokeniser) for tokeniser in (texts.source, texts.target)):
        raise UserError(
            f"train.bpe_dropout = {train.bpe_dropout}: there is no BPE to vary: the source's tokeniser is of kind "
            f"{texts.source.kind}, the target's {texts.target.kind}"
        )

    source: Callable[[int], list[Ids]] = lambda epoch: [example.source for example in examples]  # noqa: E731
    target: Callable[[int], list[Ids]] = lambda epoch: [example.target for example in examples]  # noqa: E731
    if isinstance(texts.source, BpeTokeniser):
        lines = [pair.source for pair in corpus.train]
        source = Varied(texts.source, lines, train.bpe_dropout, seed=(seed, 0), first=[], last=[EOS]).draw
    if isinstance(texts.target, BpeTokeniser):
        lines = [pair.target for pair in corpus.train]
        target = Varied(texts.target, lines, train.bpe_dropout, seed=(seed, 1), first=[BOS], last=[EOS]).draw
    return lambda epoch: [Example(*pair) for pair in zip(source(epoch), target(epoch), strict=True)]


def choose_preset(source: Tokeniser, target: Tokeniser) -> str:
    """Closed vocabularies want a small network; running text in sub-words a larger one with more dropout."""
    return "base" if {source.kind, target.kind} & {"bpe", "unigram"} else "small"


def _check_tensorboard() -> None:
    try:
        import torch.utils.tensorboard  # noqa: F401
    except ImportError:
        raise UserError(
            "train.tensorboard = true: tensorboard is not installed: pip install 'regard[tensorboard]'"
        ) from None

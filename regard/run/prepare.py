"""From settings to something that can be trained: every choice made, every refusal said, before the first step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np
import torch

from regard import tasks
from regard.errors import UserError
from regard.model import find_device
from regard.models import ClassifierSettings, LanguageModelSettings, Seq2SeqSettings
from regard.nn.around import NgramSettings
from regard.run.corpus import Corpus
from regard.run.settings import Settings, TextSettings
from regard.search import BeamSettings, check_alpha, check_attends, check_both_ways, check_recalls
from regard.tasks.base import Task
from regard.tasks.classify import Labeller
from regard.tasks.language import Writer
from regard.tasks.transduce import LengthRule, Transducer
from regard.text import tokenisers
from regard.text.batch import Epochs, Example, Ids
from regard.text.pictures import Pictures, looks_like_one
from regard.text.tokenisers import AutoSettings, ImageSettings, LabelSettings, Reader, TokeniserSettings
from regard.text.tokenisers.base import BOS, EOS, Tokeniser
from regard.text.tokenisers.recalling import RecallingTokeniser, alone
from regard.text.tokenisers.subword import BpeTokeniser
from regard.text.vary import Varied


@dataclass(frozen=True)
class Texts:
    """The tokenisers by name, the settings they have now that `auto` has chosen, and why it chose so."""

    tokenisers: dict[str, Reader]
    settings: Settings
    reasons: dict[str, str] = field(default_factory=dict)


def learn_tokenisers(settings: Settings, corpus: Corpus) -> Texts:
    sides = {
        "source": [pair.source for pair in corpus.train],
        "target": [pair.target for pair in corpus.train],
    }
    text = settings.text
    if text.similar and not isinstance(settings.model, Seq2SeqSettings):
        raise UserError("text.similar: only a model of kind seq2seq has targets to recall; leave it out")
    if text.similar_dropout and not text.similar:
        raise UserError(
            "text.similar_dropout: there are no similar pairs to hide; say text.similar = 2, or leave it out"
        )
    around = settings.model.embedding.around if isinstance(settings.model, Seq2SeqSettings) else None
    if text.similar and not text.similar_dropout and isinstance(around, NgramSettings):
        raise UserError(
            "model.embedding.around = ngrams: a source with similar pairs beside it goes without n-grams; "
            "say text.similar_dropout = 0.5, too, or leave one of them out"
        )
    if text.similar and (text.joint or isinstance(text.source, ImageSettings)):
        other = "text.joint = true" if text.joint else "text.source = image"
        raise UserError(f"text.similar = {text.similar}: does not go together with {other}; leave one of them out")
    match settings.model:
        case LanguageModelSettings():
            if settings.model.unit == "line" and settings.model.context != LanguageModelSettings().context:
                raise UserError("model.context: is of a running text, and each line is read whole; leave it out")
            if text.joint or text.source != AutoSettings():
                raise UserError("text.source and text.joint: a language model has one tokeniser, which is text.target")
            if isinstance(text.target, LabelSettings):
                raise UserError("text.target = label: a text would be one token; choose char, word, bpe or unigram")
            del sides["source"]
        case ClassifierSettings():
            if text.joint or text.target not in (AutoSettings(), LabelSettings()):
                raise UserError("text.target: the targets of a classifier are labels; leave it and text.joint out")
            text = msgspec.structs.replace(text, target=LabelSettings())
            # a label whose only texts were held back is still one of this data's labels
            sides["target"] += [pair.target for pair in corpus.valid if corpus.held_back]
            if len(set(sides["target"])) < 2:
                raise UserError(f"every text has the label `{sides['target'][0]}`: there is nothing to learn")
    if isinstance(text.source, ImageSettings) and (text.joint or not isinstance(settings.model, Seq2SeqSettings)):
        raise UserError("text.source = image: pictures are for a model of kind seq2seq, and share nothing with texts")
    if text.joint:
        return _joint(settings, [*sides["source"], *sides["target"]])
    if isinstance(text.source, AutoSettings) and all(map(looks_like_one, sides.get("source", [""])[:100])):
        raise UserError(
            f"{sides['source'][0]}: the sources are names of pictures: add --preset image-small to read them, or "
            "--set text.source.kind=char to learn from the names"
        )
    found: dict[str, Reader] = {}
    reasons: dict[str, str] = {}
    for name, texts in sides.items():
        given = getattr(text, name)
        if isinstance(given, ImageSettings):
            found[name], reasons[name] = Pictures(given.height, given.max_width), "as set"
            continue
        chosen, reasons[name] = _settle(given, texts)
        found[name] = tokenisers.train(chosen, texts)
        text = msgspec.structs.replace(text, **{name: chosen})
    if text.similar:
        found["source"] = _recalling(found, corpus, text)
    return Texts(found, msgspec.structs.replace(settings, text=text), reasons)


def _recalling(found: dict[str, Reader], corpus: Corpus, text: TextSettings) -> RecallingTokeniser:
    source, target = found["source"], found["target"]
    assert isinstance(source, Tokeniser) and isinstance(target, Tokeniser)
    memory = [(pair.source, pair.target) for pair in corpus.train]
    return RecallingTokeniser(source, target, memory, text.similar, alone=text.similar_dropout > 0)


def _joint(settings: Settings, both: list[str]) -> Texts:
    text = settings.text
    assert not isinstance(text.source, ImageSettings), "refused before"
    if text.target not in (AutoSettings(), text.source):
        raise UserError("text.target: with text.joint=true there is one tokeniser, which text.source describes")
    chosen, reason = _settle(text.source, both)
    tokeniser = tokenisers.train(chosen, both)
    text = msgspec.structs.replace(text, source=chosen, target=chosen)
    reasons = {"source": reason, "target": "joint"}
    return Texts({"source": tokeniser, "target": tokeniser}, msgspec.structs.replace(settings, text=text), reasons)


def _settle(settings: TokeniserSettings, texts: list[str]) -> tuple[TokeniserSettings, str]:
    if not isinstance(settings, AutoSettings):
        return settings, "as set"
    chosen = tokenisers.choose(texts)
    return chosen.settings, chosen.reason


def stored_tokenisers(settings: Settings, directory: Path) -> Texts:
    names = ("target",) if isinstance(settings.model, LanguageModelSettings) else ("source", "target")
    found = {name: tokenisers.load(directory / f"{name}.json") for name in names}
    if settings.text.joint:
        found["target"] = found["source"]
    return Texts(found, settings, dict.fromkeys(found, "stored"))


def store_tokenisers(texts: Texts, directory: Path) -> None:
    for name, tokeniser in texts.tokenisers.items():
        tokenisers.save(tokeniser, directory / f"{name}.json")


def build(texts: Texts, corpus: Corpus, *, device: str) -> tuple[Task, list[Example], Settings]:
    """The task whose network has its first weights, the training pairs as numbers, and settings that build it again."""
    settings = texts.settings
    torch.manual_seed(settings.seed)
    task = tasks.build(settings.model, texts.tokenisers)
    task.network.to(find_device(device))
    if settings.train.tensorboard:
        _check_tensorboard()
    # what is wrong with any of the pairs is said now, while nothing is written, and not when all is learnt
    examples, held = task.examples(corpus.train), task.examples(corpus.valid)
    _check_lengths(task, [*examples, *held], corpus, settings.train.bpe_dropout)
    if isinstance(task, Transducer):
        check_attends(settings.search, task.network.decoder.attends)
        check_both_ways(settings.search, task.network.both_ways)
        check_recalls(settings.search, task.recalls)
        if isinstance(settings.search, BeamSettings) and settings.search.alpha != BeamSettings().alpha:
            check_alpha(settings.search)
        task = replace(task, length=LengthRule.learn(examples))
        if task.network.around is not None:
            settings = _counted(settings, task.network.around.learn([alone(example.source) for example in examples]))
    elif settings.search != BeamSettings() and isinstance(task, Labeller):
        raise UserError("search: a classifier gives labels and does not search; leave it out")
    elif settings.search != BeamSettings():
        raise UserError("search: this model does not search by itself; say how when it is to generate")
    elif settings.train.sampling:
        raise UserError("train.sampling: only a decoder can be given what it would have said itself")
    return task, examples, settings


def _counted(settings: Settings, num_ngrams: int) -> Settings:
    """With as many n-grams as there are."""
    model = settings.model
    assert isinstance(model, Seq2SeqSettings) and isinstance(model.embedding.around, NgramSettings)
    around = msgspec.structs.replace(model.embedding.around, most=num_ngrams)
    embedding = msgspec.structs.replace(model.embedding, around=around)
    return msgspec.structs.replace(settings, model=msgspec.structs.replace(model, embedding=embedding))


def _check_lengths(task: Task, examples: list[Example], corpus: Corpus, bpe_dropout: float) -> None:
    """Learned positions are so many: that a text has more shall not be found out in the middle of a run."""
    limits = {part: (side, most) for part, (side, most) in task.limits.items() if most is not None}
    for part, (side, most) in limits.items():
        longest = max(len(one.source) if side == "source" else one.num_tokens for one in examples)
        spelt = ""
        if bpe_dropout and isinstance(task.tokenisers[side], BpeTokeniser):
            # a blank, byte by byte, and the end
            varied = max(2 + len(getattr(pair, side).encode()) for pair in corpus.train)
            if varied > longest:
                longest, spelt = varied, ", spelt as train.bpe_dropout may spell it"
        if longest > most and isinstance(task, Writer) and task.running:
            raise UserError(
                f"model.{part}.positions.most = {most}: is less than model.context = {task.context}; raise it, lower "
                "model.context, or choose sinusoidal or rotary positions"
            )
        if longest > most:
            raise UserError(
                f"model.{part}.positions.most = {most}: the longest text has {longest:,} tokens{spelt}; "
                "raise it, drop longer ones (data.filter.max_length), or choose sinusoidal or rotary positions"
            )


def vary(task: Task, settings: Settings, corpus: Corpus, examples: list[Example]) -> Epochs:
    """The training examples of each epoch: the same ones, or formed anew."""
    rate, seed = settings.train.bpe_dropout, settings.seed
    if isinstance(task, Writer) and task.running:
        if rate:
            raise UserError("train.bpe_dropout: a running text is read as it is; leave it out")
        return _shifted(task, corpus, seed)
    if rate and settings.text.similar:
        raise UserError(f"train.bpe_dropout = {rate}: does not go together with text.similar; leave one of them out")
    if settings.text.similar_dropout:
        return _forgetting(examples, settings.text.similar_dropout, seed)
    if rate == 0:
        return lambda epoch: examples
    if not any(isinstance(tokeniser, BpeTokeniser) for tokeniser in task.tokenisers.values()):
        kinds = ", ".join(f"the {name}'s tokeniser is of kind {one.kind}" for name, one in task.tokenisers.items())
        raise UserError(f"train.bpe_dropout = {rate}: there is no BPE to vary: {kinds}")

    def drawn(side: str, number: int, as_they_are: list[Ids], first: list[int]) -> Callable[[int], list[Ids]]:
        tokeniser = task.tokenisers.get(side)
        if not isinstance(tokeniser, BpeTokeniser):
            return lambda epoch: as_they_are
        lines = [getattr(pair, side) for pair in corpus.train]
        return Varied(tokeniser, lines, rate, seed=(seed, number), first=first, last=[EOS]).draw

    source = drawn("source", 0, [example.source for example in examples], [])
    target = drawn("target", 1, [example.target for example in examples], [BOS])
    return lambda epoch: [Example(*pair) for pair in zip(source(epoch), target(epoch), strict=True)]


def _forgetting(examples: list[Example], rate: float, seed: int) -> Epochs:
    """Other sources stand without their similar pairs in each epoch."""
    bare = [Example(alone(example.source), example.target) for example in examples]

    def epoch(number: int) -> list[Example]:
        generator = np.random.Generator(np.random.SFC64(np.random.SeedSequence((seed, number, 3))))
        hidden = generator.random(len(examples)) < rate
        return [pair[hide] for pair, hide in zip(zip(examples, bare, strict=True), hidden.astype(int), strict=True)]

    return epoch


def _shifted(task: Writer, corpus: Corpus, seed: int) -> Epochs:
    """The windows of a running text begin elsewhere in each epoch."""
    texts = [np.array(task.target.encode(pair.target), dtype=np.int64) for pair in corpus.train]

    def epoch(number: int) -> list[Example]:
        generator = np.random.Generator(np.random.SFC64(np.random.SeedSequence((seed, number, 2))))
        return [example for ids in texts for example in task.windows(ids, int(generator.integers(1, task.context + 1)))]

    return epoch


def choose_preset(settings: Settings, tokenisers: dict[str, Reader]) -> str:
    """Closed vocabularies want a small network; running text in sub-words a larger one with more dropout."""
    match settings.model:
        case ClassifierSettings():
            return "classifier-small"
        case LanguageModelSettings():
            return "language-small"
    if isinstance(tokenisers.get("source"), Pictures):
        return "image-small"
    return "base" if {one.kind for one in tokenisers.values()} & {"bpe", "unigram"} else "small"


def _check_tensorboard() -> None:
    try:
        import torch.utils.tensorboard  # noqa: F401
    except ImportError:
        raise UserError(
            "train.tensorboard = true: tensorboard is not installed: pip install 'regard[tensorboard]'"
        ) from None

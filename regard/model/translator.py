"""A model that turns one text into another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

import msgspec

from regard.config import to_table
from regard.errors import TextError, UserError, located
from regard.evaluate import alignment
from regard.evaluate.sacre import Tokenize
from regard.explain.inspection import START, Inspection, Itself, word_weights
from regard.explain.pictured import Pictured
from regard.model.base import Model, pieces, several
from regard.models import Seq2SeqSettings
from regard.nn.decoders import RnnDecoderSettings
from regard.nn.encoders.pixels import PixelEncoder
from regard.search import (
    BeamSettings,
    GreedySettings,
    SearchSettings,
    check_alone,
    check_attends,
    check_both_ways,
    check_num_best,
    check_recalls,
)
from regard.tasks.base import Floats, check_lengths
from regard.tasks.evaluation import Evaluation, Outputs, evaluate
from regard.tasks.transduce import Transducer, target_ids
from regard.text.batch import Example, Ids
from regard.text.pair import Pair, as_pairs
from regard.text.pictures import Pictures


@dataclass(frozen=True)
class Translation:
    text: str
    tokens: tuple[int, ...]
    logprob: float
    score: float
    finished: bool  # False if it was cut at its maximum length

    @property
    def ids(self) -> Ids:
        """As a forced pass reads it: BOS, its tokens, and EOS if it came to one."""
        return target_ids(self.tokens, ended=self.finished)


@dataclass(frozen=True, repr=False)
class Translator(Model):
    task: Transducer
    does = "turns one sequence into another"
    command = "translate"

    def translate(
        self, texts: Iterable[str], *, beam: int | None = None, prefix: str = "", workers: int | None = None
    ) -> list[str]:
        """The best output for each text. Without `beam` it searches as the model's own settings say.

        `workers` batches are searched at once, each on one core: all cores if not given.
        """
        return [best[0].text for best in self.search(texts, self.searching(beam), prefix=prefix, workers=workers)]

    def search(
        self,
        texts: Iterable[str],
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
        texts = several(texts, "translate")
        check_num_best(settings, num_best)
        check_alone(settings, not self.task.others)
        check_attends(settings, self.task.network.decoder.attends)
        check_both_ways(settings, self.task.writer.both_ways)
        check_recalls(settings, self.task.recalls)
        full = [number for number, text in enumerate(texts) if text.strip()]
        try:
            sources = self.task.sources([texts[number] for number in full])
        except TextError as error:
            raise TextError(full[error.number], str(error)) from None
        found = self.task.search(
            sources,
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
            return GreedySettings(max_length=own.max_length)
        if isinstance(own, BeamSettings):
            return msgspec.structs.replace(own, width=beam)
        return BeamSettings(width=beam, max_length=own.max_length)

    @property
    def can_be_looked_into(self) -> bool:
        return self.task.network.decoder.attends and not self.task.others

    def embed(self, texts: Iterable[str], *, workers: int | None = None) -> Floats:
        """A vector for each text: the encoder's summary."""
        self.check_alone()
        return self.task.embed(self.task.sources(several(texts, "embed")), workers=workers)

    def score(self, pairs: Sequence[Pair | tuple[str, str]]) -> list[float]:
        """log P(target | source) of each pair, the end included."""
        given = as_pairs(pairs)
        examples, network = self.task.examples(given), self.task.writer
        with located(lambda number: given[number].where):
            check_lengths([one.source for one in given], [one.source for one in examples], network.most_source)
            check_lengths([one.target for one in given], [one.target[1:] for one in examples], network.most_target)
        looked = self.task.look(examples, at=None)
        return [sum(one.logprobs) for one in looked]

    def inspect(
        self, text: str, target: str | None = None, *, beam: int | None = None, itself: Itself | None = None
    ) -> Inspection | Pictured:
        """Where the model looked when it wrote its output for `text`, or where it would for a given `target`.

        `itself`: where the source looked at itself when it was read, or the target at what was written before each of
        its pieces. Of a model that reads pictures, `text` is the path of one.
        """
        if not text.strip():
            raise UserError("there is no text to look at")
        if itself is not None:
            self.check_self_attention(itself)
        if itself == "source":
            if target is not None or beam is not None:
                raise UserError("a source looks at itself whatever is written: leave target and beam out")
            return self._read(text)
        if target is None:
            ids = self.search([text], self.searching(beam))[0][0].ids
        else:
            ids = target_ids(self.task.target.encode(target))
            check_lengths([target], [ids[1:]], self.task.network.most_target)
        if itself == "target":
            return self._written(text, ids)
        return self.pictured(text, ids) if self.reads_pictures else self.inspections([(text, ids)])[0]

    def check_self_attention(self, itself: Itself) -> None:
        """Whether the source, or the target, looks at itself in this model."""
        self.check_alone()
        if itself not in get_args(Itself):
            raise UserError(f"itself = {itself!r}: is not one of {', '.join(get_args(Itself))}")
        if itself == "source" and self.reads_pictures:
            raise UserError("this model reads pictures: what their places look at cannot be shown")
        if itself == "source" and not self.task.network.encoder.looks_within:
            raise UserError("this model's encoder has no self-attention to look at: it is recurrent")
        if itself == "target" and not self.task.network.decoder.looks_back:
            raise UserError("this model's decoder has no self-attention to look at: its past is recurrent")

    def _read(self, text: str) -> Inspection:
        """Where a source looks at itself."""
        (source,) = self.task.sources([text])
        (weights_LHSS,) = self.task.look_within([source])
        assert not isinstance(self.task.source, Pictures)
        read = pieces(self.task.source, source.tolist())
        return Inspection(text, text, read, read, weights_LHSS, logprobs=(), itself="source")

    def _written(self, text: str, ids: Ids) -> Inspection:
        """Where an output looks back at itself: at what was written before each piece."""
        (source,) = self.task.sources([text])
        (looked,) = self.task.look([Example(source, ids)], at="past")
        assert looked.weights_LHTS is not None
        written, said = pieces(self.task.target, ids[1:].tolist()), self.task.target.decode(ids[1:].tolist())
        read = (START, *written[:-1])
        return Inspection(said, said, read, written, looked.weights_LHTS, looked.logprobs, itself="target")

    def align(
        self, pairs: Sequence[Pair | tuple[str, str]], *, workers: int | None = None
    ) -> list[frozenset[alignment.Link]]:
        """Word links (source, target) of given pairs, from the attention alone."""
        self.check_attends()
        given = as_pairs(pairs)
        ids = [target_ids(tokens) for tokens in self.task.target.encode_all([pair.target for pair in given])]
        with located(lambda number: given[number].where):
            check_lengths([pair.target for pair in given], [one[1:] for one in ids], self.task.network.most_target)
        forced = [(pair.source, one) for pair, one in zip(given, ids, strict=True)]
        # some at a time: the weights of all layers and heads of all pairs need not fit into memory
        parts = (self.inspections(forced[first : first + 500], workers=workers) for first in range(0, len(forced), 500))
        return [alignment.links(word_weights(inspection)) for part in parts for inspection in part]

    def evaluate(
        self,
        pairs: Sequence[Pair | tuple[str, str]],
        *,
        settings: SearchSettings | None = None,
        lengths: bool = False,
        golds: Sequence[alignment.Gold] | None = None,
        tokenize: Tokenize | None = None,
        workers: int | None = None,
    ) -> Evaluation:
        """How good the outputs for the sources of `pairs` are; with gold links also how good the alignments are."""
        if lengths and self.reads_pictures:
            raise UserError("this model reads pictures, and those have no words to be counted: leave lengths out")
        outputs = self.outputs(pairs, settings, align=golds is not None, workers=workers)
        return evaluate(outputs, pairs, self.task.kinds, lengths=lengths, golds=golds, tokenize=tokenize)

    def outputs(
        self,
        pairs: Sequence[Pair | tuple[str, str]],
        settings: SearchSettings | None = None,
        *,
        align: bool = False,
        workers: int | None = None,
    ) -> Outputs:
        """The best output for each source of `pairs`; the word links of the pairs as well if they are to `align`."""
        given = as_pairs(pairs)
        links = self.align(pairs, workers=workers) if align else None
        with located(lambda number: given[number].where):
            found = self.search([pair.source for pair in given], settings or self.config.search, workers=workers)
        return Outputs([best[0].text for best in found], links)

    @property
    def reads_pictures(self) -> bool:
        return isinstance(self.task.source, Pictures)

    def pictured(self, path: str, ids: Ids) -> Pictured:
        """Where the model looks in a picture when it writes a given target."""
        self.check_attends()
        (pixels_WH,) = self.task.sources([path])
        (looked,) = self.task.look([Example(pixels_WH, ids)])
        encoder = self.task.network.encoder
        assert looked.weights_LHTS is not None and isinstance(encoder, PixelEncoder)
        written = ids[1:].tolist()
        return Pictured(
            path=path,
            pixels_HW=pixels_WH.T,
            boxes=encoder.grid.boxes(len(pixels_WH)),
            target=self.task.target.decode(written),
            pieces=pieces(self.task.target, written),
            weights_LHTS=looked.weights_LHTS,
            logprobs=looked.logprobs,
        )

    def check_alone(self) -> None:
        if self.task.others:
            raise UserError("several models write here together: look into one of them by itself")

    def check_attends(self) -> None:
        self.check_alone()
        if not self.task.network.decoder.attends:
            assert isinstance(self.config.model, Seq2SeqSettings)
            assert isinstance(self.config.model.decoder, RnnDecoderSettings), "others always attend"
            wiring = to_table(self.config.model.decoder.wiring)
            raise UserError(f"this model has no attention to look at: its wiring is `{wiring['kind']}`")

    def inspections(self, items: Sequence[tuple[str, Ids]], *, workers: int | None = None) -> list[Inspection]:
        """Where the model looks when it writes given targets for given texts."""
        self.check_attends()
        reader = self.task.source
        if isinstance(reader, Pictures):
            raise UserError("this model reads pictures, and words of theirs have no links: inspect them one by one")
        sources = self.task.sources([text for text, _ in items])
        examples = [Example(source, ids) for source, (_, ids) in zip(sources, items, strict=True)]
        result = []
        found = self.task.look(examples, workers=workers)
        for example, looked, (text, _) in zip(examples, found, items, strict=True):
            assert looked.weights_LHTS is not None
            written = example.target[1:].tolist()
            result.append(
                Inspection(
                    source=text,
                    target=self.task.target.decode(written),
                    source_pieces=pieces(reader, example.source.tolist()),
                    target_pieces=pieces(self.task.target, written),
                    weights_LHTS=looked.weights_LHTS,
                    logprobs=looked.logprobs,
                    sums_to_one=self.task.network.decoder.sums_to_one,
                )
            )
        return result

"""Any encoder under any decoder, and the one owner of the output layer."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from regard.nn import masks
from regard.nn.around.ngrams import Ngrams
from regard.nn.decoders.base import Decoder
from regard.nn.dropout import Noise, dropout
from regard.nn.embedding import Embedding, OutputLayer
from regard.nn.encoders.base import Encoder
from regard.nn.fast.logits import ByToken
from regard.nn.fast.loss import cross_entropy as fast_cross_entropy
from regard.nn.fast.steps import Steps
from regard.nn.loss import Loss, cross_entropy, logprobs
from regard.nn.memory import Memory, Output, State
from regard.text.tokenisers.base import EOS


class Forced(NamedTuple):
    """A given target under the model: log p of each token (0 on padding), and where the model looked."""

    logprobs_BT: Tensor
    weights_BLHTS: Tensor | None


class Twin(NamedTuple):
    """What one search computes with in the place of the plain parts. The decoder's may be missing."""

    steps: Steps | None
    logits: ByToken


class Network(Protocol):
    """What search asks of a network, or of several that write together. What they remember is their own affair."""

    @property
    def both_ways(self) -> bool: ...

    @property
    def most_source(self) -> int | None: ...

    @property
    def most_target(self) -> int | None: ...

    def from_the_end(self) -> Network: ...

    def encode(self, source: Tensor, length_B: Tensor) -> Any: ...

    def twin(self, *, width: int, num_rows: int) -> Any: ...

    def start(self, memory: Any, twin: Any) -> Any: ...

    def step(
        self, token_R: Tensor, state: Any, twin: Any, *, look: bool = False
    ) -> tuple[Tensor, Tensor | None, Any]: ...

    def force(
        self, memory: Any, target_BT: Tensor, target_length_B: Tensor, *, look: bool = False, back: bool = False
    ) -> Forced: ...


class Seq2Seq(nn.Module):
    def __init__(
        self,
        source: Embedding | None,
        target: Embedding,
        encoder: Encoder,
        decoder: Decoder,
        output: OutputLayer,
        *,
        around: Ngrams | None = None,
        dropout: float,
        both_ways: bool = False,
        backwards: Decoder | None = None,
        fast: bool = True,
    ) -> None:
        """If it writes both ways, `backwards` is the decoder that writes from the end; None: the same one."""
        super().__init__()
        self.source = source
        self.around = around
        self.target = target
        self.encoder = encoder
        self.decoder = decoder
        self.output = output
        self.dropout = dropout
        self.both_ways = both_ways
        self.backwards = backwards
        self.fast = fast
        self.cross_entropy = fast_cross_entropy if fast else cross_entropy

    @property
    def most_source(self) -> int | None:
        """Tokens that a source can have; None: any number."""
        return self.encoder.most

    @property
    def most_target(self) -> int | None:
        return self.decoder.most

    def encode(self, source: Tensor, length_B: Tensor, noise: Noise | None = None, *, look: bool = False) -> Memory:
        """Of tokens (source_BS), or of pictures (pixels_BWH) if there is no embedding of tokens."""
        read = source if self.source is None else self._read(self.source, source, length_B, noise)
        memory: Memory = self.encoder(read, length_B, noise, look=look)
        return memory

    def twin(self, *, width: int, num_rows: int) -> Twin | None:
        """The fast twin for one search, which has `width` rows a sentence and `num_rows` in all steps together."""
        if not self.fast:
            return None
        return Twin(self.decoder.twin(self.target, width=width, num_rows=num_rows), ByToken(self.output))

    def start(self, memory: Memory, twin: Twin | None = None) -> State:
        steps = None if twin is None else twin.steps
        return (steps or self.decoder).start(memory)

    def step(
        self, token_R: Tensor, state: State, twin: Twin | None = None, *, look: bool = False
    ) -> tuple[Tensor, Tensor | None, State]:
        """logits_RV, the weights if asked for, and the next state."""
        if twin is None or twin.steps is None:
            output, state = self.decoder.step(self.target(token_R), state, look=look)
        else:
            output, state = twin.steps.step(token_R, state, look=look)
        logits = self.output if twin is None else twin.logits
        return logits(output.features_BTE[:, 0]), output.weights_BLHTS, state

    def loss(
        self,
        source_BS: Tensor,
        source_length_B: Tensor,
        target_BT: Tensor,
        target_length_B: Tensor,
        *,
        smoothing: float = 0.0,
        sampling: float = 0.0,
        noise: Noise | None = None,
    ) -> Loss:
        """Of targets that begin with BOS and end with EOS; `target_length_B` counts what is predicted, EOS included.

        If it learns both ways, the mean of the targets as they are and turned around (Liu et al. 2016).
        """
        memory = self.encode(source_BS, source_length_B, noise)
        penalty = self.encoder.penalty(memory)
        if not self.both_ways:
            loss = self._loss(memory, target_BT, target_length_B, smoothing, sampling, noise)
            return loss._replace(total=loss.total + penalty)
        turned_BT = turned(target_BT, target_length_B)
        if self.backwards is None:  # one pass, in which every sentence is there twice
            twice_BT, length_B = torch.cat([target_BT, turned_BT]), target_length_B.repeat(2)
            loss = self._loss(memory.join(memory), twice_BT, length_B, smoothing, sampling, noise)
        else:
            one, other = (
                network._loss(memory, way_BT, target_length_B, smoothing, sampling, noise)
                for network, way_BT in ((self, target_BT), (self.from_the_end(), turned_BT))
            )
            loss = Loss(one.total + other.total, one.nll + other.nll, one.num_tokens + other.num_tokens)
        return Loss(loss.total / 2 + penalty, loss.nll / 2, loss.num_tokens // 2)

    def from_the_end(self) -> Seq2Seq:
        """The network as it writes from the end: all of its parts, or all but the decoder."""
        return Seq2Seq(
            self.source,
            self.target,
            self.encoder,
            self.backwards or self.decoder,
            self.output,
            around=self.around,
            dropout=self.dropout,
            fast=self.fast,
        )

    def _loss(
        self,
        memory: Memory,
        target_BT: Tensor,
        length_B: Tensor,
        smoothing: float,
        sampling: float,
        noise: Noise | None,
    ) -> Loss:
        given_BT, wanted_BT = target_BT[:, :-1], target_BT[:, 1:]
        if sampling > 0 and noise is not None:
            given_BT = self._sampled(given_BT, memory, sampling, noise)
        features_BTE = self._decode(given_BT, memory, noise).features_BTE
        mask_BT = masks.real(length_B, wanted_BT.shape[1])
        return self.cross_entropy(features_BTE[mask_BT], self.output, wanted_BT[mask_BT], smoothing)

    def force(
        self, memory: Memory, target_BT: Tensor, target_length_B: Tensor, *, look: bool = False, back: bool = False
    ) -> Forced:
        """Decode a given target: its log-probabilities, and the weights exactly as they were.

        `look` for those over the source, or `back` for those over what was written before.
        """
        given_BT, wanted_BT = target_BT[:, :-1], target_BT[:, 1:]
        output = self._decode(given_BT, memory, None, look=look, back=back)
        mask_BT = masks.real(target_length_B, wanted_BT.shape[1])
        logprobs_BT = output.features_BTE.new_zeros(mask_BT.shape)
        logprobs_BT[mask_BT] = logprobs(output.features_BTE[mask_BT], self.output, wanted_BT[mask_BT])
        return Forced(logprobs_BT, output.weights_BLHTS)

    def _decode(
        self, given_BT: Tensor, memory: Memory, noise: Noise | None, *, look: bool = False, back: bool = False
    ) -> Output:
        y_BTE = dropout(self.target(given_BT), self.dropout, noise, "target.embedding")
        output: Output = self.decoder(y_BTE, memory, noise, look=look, back=back)
        return output

    def _read(self, embedding: Embedding, source_BS: Tensor, length_B: Tensor, noise: Noise | None) -> Tensor:
        x_BSE = embedding(source_BS)
        if self.around is not None:
            # what similar pairs tell and what n-grams tell is much the same: a source has one or the other, so that
            # what it is read as with similar pairs and without is wrong in different places
            ends_BS = (source_BS == EOS) & masks.real(length_B, source_BS.shape[1])
            alone_B11 = (ends_BS.sum(1) <= 1)[:, None, None]
            x_BSE = x_BSE + self.around(source_BS, length_B, noise) * alone_B11
        return dropout(x_BSE, self.dropout, noise, "source.embedding")

    @torch.no_grad()
    def _sampled(self, given_BT: Tensor, memory: Memory, rate: float, noise: Noise) -> Tensor:
        """Scheduled sampling (Bengio et al. 2015) for all positions at once (Duckworth et al. 2019): a first pass over
        the true target says what the model would have produced; a share `rate` of the inputs is replaced by that."""
        features_NE = self._decode(given_BT, memory, None).features_BTE.flatten(0, 1)
        own_N = [self.output(features_NE[rows]).argmax(-1) for rows in self.output.pieces(len(features_NE))]
        own_BT = torch.cat(own_N).view_as(given_BT)
        shifted_BT = torch.cat([given_BT[:, :1], own_BT[:, :-1]], dim=1)
        swap = noise.generator("sampling").random(given_BT.shape) < rate
        swap_BT = torch.from_numpy(swap).to(given_BT.device)
        swap_BT[:, 0] = False  # BOS stays
        return torch.where(swap_BT, shifted_BT, given_BT)


def turned(target_BT: Tensor, length_B: Tensor) -> Tensor:
    """BOS a b c EOS as EOS c b a BOS, with padding where it was; `length_B` does not count what it begins with.

    So no symbol is needed to tell the ways apart: what a target begins with says which way it goes.
    """
    t_T = torch.arange(target_BT.shape[1], device=target_BT.device)
    from_BT = length_B[:, None] - t_T
    return target_BT.gather(1, torch.where(from_BT >= 0, from_BT, t_T))

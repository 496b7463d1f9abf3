"""Several networks that write one output together.

    p(y_t | y_<t, x) = 1/K Σ_k p_k(y_t | y_<t, x)

Networks that learnt apart are wrong in different places, and what they agree on is right more often (Hansen and Salamon
1990, "Neural network ensembles"; of translation: Sutskever et al. 2014, table 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from regard.models.seq2seq import Forced, Network
from regard.text.tokenisers.base import EOS, PAD


class Memories(tuple[Any, ...]):
    """The same sources, as each network has read them."""

    @property
    def length_B(self) -> Tensor:
        length_B: Tensor = self[0].length_B
        return length_B

    @property
    def mask_BS(self) -> Tensor:
        mask_BS: Tensor = self[0].mask_BS
        return mask_BS

    def keep(self, sentences_B: Tensor) -> Memories:
        return Memories(one.keep(sentences_B) for one in self)


class States(tuple[Any, ...]):
    """The same rows, as each network has written them."""

    def select(self, rows_R: Tensor) -> States:
        return States(one.select(rows_R) for one in self)

    def keep(self, sentences_B: Tensor) -> States:
        return States(one.keep(sentences_B) for one in self)

    def join(self, other: States) -> States:
        return States(one.join(another) for one, another in zip(self, other, strict=True))


class Ensemble(nn.Module):
    """Reads and writes as one network does; all of them must know the same symbols. It is not trained, and what its
    networks look at is asked of each by itself."""

    def __init__(self, networks: Iterable[Network]) -> None:
        super().__init__()
        self.networks: Sequence[Network] = nn.ModuleList(networks)  # type: ignore[arg-type, assignment]

    @property
    def both_ways(self) -> bool:
        return all(one.both_ways for one in self.networks)

    @property
    def most_source(self) -> int | None:
        return _least(one.most_source for one in self.networks)

    @property
    def most_target(self) -> int | None:
        return _least(one.most_target for one in self.networks)

    def from_the_end(self) -> Ensemble:
        return Ensemble(one.from_the_end() for one in self.networks)

    def encode(self, source: Tensor, length_B: Tensor) -> Memories:
        return Memories(one.encode(source, length_B) for one in self.networks)

    def twin(self, *, width: int, num_rows: int) -> list[Any]:
        return [one.twin(width=width, num_rows=num_rows) for one in self.networks]

    def start(self, memory: Memories, twin: Sequence[Any]) -> States:
        return States(one.start(its, fast) for one, its, fast in zip(self.networks, memory, twin, strict=True))

    def step(
        self, token_R: Tensor, state: States, twin: Sequence[Any], *, look: bool = False
    ) -> tuple[Tensor, None, States]:
        """logits_RV, which are the logarithms of the mean, and the next state."""
        assert not look, "what is looked at is asked of each network by itself"
        each = zip(self.networks, state, twin, strict=True)
        steps = [one.step(token_R, its, fast) for one, its, fast in each]
        logprobs = [torch.log_softmax(logits_RV, dim=-1) for logits_RV, _, _ in steps]
        return _mean(logprobs), None, States(after for _, _, after in steps)

    def force(
        self, memory: Memories, target_BT: Tensor, target_length_B: Tensor, *, look: bool = False, back: bool = False
    ) -> Forced:
        """log p of each token of a given target (0 on padding)."""
        assert not look and not back, "what is looked at is asked of each network by itself"
        given = zip(self.networks, memory, strict=True)
        return Forced(_mean([one.force(its, target_BT, target_length_B).logprobs_BT for one, its in given]), None)


class TwiceRead(Ensemble):
    """One network that reads a source with the targets of similar pairs beside it, and without them.

    What it has at hand and what it knows by itself are wrong in different places, as two networks are.
    """

    def __init__(self, network: Network) -> None:
        super().__init__([network, network])

    def from_the_end(self) -> TwiceRead:
        return TwiceRead(self.networks[0].from_the_end())

    def encode(self, source_BS: Tensor, length_B: Tensor) -> Memories:
        alone_B = 1 + (source_BS == EOS).byte().argmax(dim=1)
        with_them, without = self.networks
        alone_BS = source_BS[:, : int(alone_B.max())]
        alone_BS = alone_BS.where(torch.arange(alone_BS.shape[1], device=alone_B.device) < alone_B[:, None], PAD)
        return Memories((with_them.encode(source_BS, length_B), without.encode(alone_BS, alone_B)))


def _mean(logprobs: Sequence[Tensor]) -> Tensor:
    """The logarithm of the mean of probabilities."""
    return torch.stack(list(logprobs)).logsumexp(dim=0) - math.log(len(logprobs))


def _least(limits: Iterable[int | None]) -> int | None:
    """None if there is no limit."""
    return min((limit for limit in limits if limit is not None), default=None)

"""Several networks that write one output together.

    p(y_t | y_<t, x) = 1/K Σ_k p_k(y_t | y_<t, x)

Networks that learnt apart are wrong in different places, and what they agree on is right more often (Hansen and Salamon
1990, "Neural network ensembles"; of translation: Sutskever et al. 2014, table 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from regard.models.seq2seq import Forced, Seq2Seq, Twin
from regard.nn.memory import Memory, State


class Memories(tuple[Memory, ...]):
    """The same sources, as each network has read them."""

    @property
    def length_B(self) -> Tensor:
        return self[0].length_B

    @property
    def mask_BS(self) -> Tensor:
        return self[0].mask_BS

    def keep(self, sentences_B: Tensor) -> Memories:
        return Memories(one.keep(sentences_B) for one in self)


class States(tuple[State, ...]):
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

    def __init__(self, networks: Iterable[Seq2Seq]) -> None:
        super().__init__()
        self.networks: Sequence[Seq2Seq] = nn.ModuleList(networks)  # type: ignore[assignment]

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

    def twin(self, *, width: int, num_rows: int) -> list[Twin | None]:
        return [one.twin(width=width, num_rows=num_rows) for one in self.networks]

    def start(self, memory: Memories, twin: Sequence[Twin | None]) -> States:
        return States(map(Seq2Seq.start, self.networks, memory, twin))

    def step(
        self, token_R: Tensor, state: States, twin: Sequence[Twin | None], *, look: bool = False
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


def _mean(logprobs: Sequence[Tensor]) -> Tensor:
    """The logarithm of the mean of probabilities."""
    return torch.stack(list(logprobs)).logsumexp(dim=0) - math.log(len(logprobs))


def _least(limits: Iterable[int | None]) -> int | None:
    """None if there is no limit."""
    return min((limit for limit in limits if limit is not None), default=None)

"""What every encoder is."""

from __future__ import annotations

from torch import Tensor, nn

from regard.nn.dropout import Noise
from regard.nn.memory import Memory
from regard.nn.summaries.base import Summary
from regard.nn.summaries.structured import penalty


class Encoder(nn.Module):
    memory_size: int  # M
    most: int | None = None  # tokens that a source can have; None: any number
    summary: Summary | None  # another than its own
    looks_within = False  # whether positions look at each other

    @property
    def summary_size(self) -> int:
        return self.memory_size if self.summary is None else self.summary.size

    def remember(self, states_BSM: Tensor, mask_BS: Tensor, length_B: Tensor, own_BM: Tensor) -> Memory:
        """The memory of these states, with the encoder's own summary or another."""
        if self.summary is None:
            return Memory(states_BSM, mask_BS, length_B, own_BM)
        summary_BX, hops_BRS = self.summary(states_BSM, mask_BS)
        return Memory(states_BSM, mask_BS, length_B, summary_BX, hops_BRS)

    def penalty(self, memory: Memory) -> Tensor | float:
        """What a summary costs by itself, summed over the sentences."""
        if memory.hops_BRS is None or self.summary is None or not self.summary.penalty:
            return 0.0
        return self.summary.penalty * penalty(memory.hops_BRS)

    def forward(
        self, source_BSE: Tensor, length_B: Tensor, noise: Noise | None = None, *, look: bool = False
    ) -> Memory:
        raise NotImplementedError

"""A text's class from its encoder's summary: p = softmax(W₂ max(0, W₁ m + b₁) + b₂) (Lin et al. 2017, section 2.1)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.nn.dropout import Noise, dropout
from regard.nn.embedding import Embedding
from regard.nn.encoders.base import Encoder
from regard.nn.loss import Loss, smoothed
from regard.nn.memory import Memory


class Classified(NamedTuple):
    logprobs_BC: Tensor
    memory: Memory  # its hops are where a structured summary looked


class Classifier(nn.Module):
    def __init__(
        self,
        source: Embedding,
        encoder: Encoder,
        num_classes: int,
        *,
        hidden: int,
        embedding_dropout: float,
        dropout: float,
    ) -> None:
        super().__init__()
        self.source = source
        self.encoder = encoder
        self.embedding_dropout = embedding_dropout
        self.dropout = dropout
        self.hidden = nn.Linear(encoder.summary_size, hidden)
        self.output = nn.Linear(hidden, num_classes)

    def encode(self, source_BS: Tensor, length_B: Tensor, noise: Noise | None = None) -> Memory:
        x_BSE = dropout(self.source(source_BS), self.embedding_dropout, noise, "source.embedding")
        memory: Memory = self.encoder(x_BSE, length_B, noise)
        return memory

    def forward(self, source_BS: Tensor, length_B: Tensor, noise: Noise | None = None) -> Classified:
        memory = self.encode(source_BS, length_B, noise)
        summary_BX = dropout(memory.summary_BM, self.dropout, noise, "classifier.summary")
        hidden_BD = dropout(functional.relu(self.hidden(summary_BX)), self.dropout, noise, "classifier.hidden")
        return Classified(torch.log_softmax(self.output(hidden_BD), dim=-1), memory)

    def loss(
        self,
        source_BS: Tensor,
        length_B: Tensor,
        class_B: Tensor,
        *,
        smoothing: float = 0.0,
        noise: Noise | None = None,
    ) -> Loss:
        """Cross-entropy, and hops that look at the same places cost (eq. 8)."""
        logprobs_BC, memory = self(source_BS, length_B, noise)
        loss = smoothed(logprobs_BC, class_B, smoothing)
        return loss._replace(total=loss.total + self.encoder.penalty(memory))

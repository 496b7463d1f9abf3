"""The same network in plain PyTorch, as a good tutorial would write it: modules of torch.nn, a loop over the target,
torch's own dropout, cross-entropy and Adam, sentences of like length in a batch."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from pace import Pace
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD, BOS, EOS = 0, 1, 2


class Encoder(nn.Module):
    def __init__(self, vocabulary: int, embedding: int, size: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding, padding_idx=PAD)
        self.dropout = nn.Dropout(dropout)
        self.rnn = nn.GRU(embedding, size, batch_first=True, bidirectional=True)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        embedded = self.dropout(self.embedding(source))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, last = self.rnn(packed)
        states, _ = pad_packed_sequence(states, batch_first=True)
        return self.dropout(states), torch.cat([last[0], last[1]], dim=-1)


class Attention(nn.Module):
    """Additive (Bahdanau et al. 2015)."""

    def __init__(self, query: int, memory: int, size: int) -> None:
        super().__init__()
        self.query = nn.Linear(query, size)
        self.key = nn.Linear(memory, size, bias=False)
        self.v = nn.Linear(size, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        scores = self.v(torch.tanh(self.query(query).unsqueeze(1) + keys)).squeeze(-1)
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        return torch.bmm(weights.unsqueeze(1), memory).squeeze(1)


class Decoder(nn.Module):
    def __init__(self, vocabulary: int, embedding: int, memory: int, size: int, attention: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding, padding_idx=PAD)
        self.dropout = nn.Dropout(dropout)
        self.bridge = nn.Linear(memory, size)
        self.attention = Attention(size, memory, attention)
        self.cell = nn.GRUCell(embedding + memory, size)
        self.read = nn.Linear(size + memory + embedding, embedding)
        self.output = nn.Linear(embedding, vocabulary)

    def forward(self, target: Tensor, memory: Tensor, last: Tensor, mask: Tensor) -> Tensor:
        embedded = self.dropout(self.embedding(target))
        keys = self.attention.key(memory)
        state = torch.tanh(self.bridge(last))
        states, contexts = [], []
        for y in embedded.unbind(1):
            context = self.attention(state, keys, memory, mask)
            state = self.cell(torch.cat([y, context], dim=-1), state)
            states.append(state)
            contexts.append(context)
        read = torch.cat([torch.stack(states, 1), torch.stack(contexts, 1), embedded], dim=-1)
        return self.output(self.dropout(torch.tanh(self.read(read))))


class Seq2Seq(nn.Module):
    def __init__(
        self,
        *,
        vocabulary: int,
        embedding: int,
        encoder: int,
        decoder: int,
        attention: int,
        dropout: float,
        wiring: str = "before",
    ) -> None:
        super().__init__()
        assert wiring == "before", "the tutorial knows one wiring"
        self.encoder = Encoder(vocabulary, embedding, encoder, dropout)
        self.decoder = Decoder(vocabulary, embedding, 2 * encoder, decoder, attention, dropout)

    def forward(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        memory, last = self.encoder(source, lengths)
        return self.decoder(target, memory, last, source != PAD)


def read(path: Path) -> list[list[int]]:
    return [[int(id_) for id_ in line.split()] for line in path.read_text(encoding="utf-8").splitlines()]


Batch = tuple[Tensor, Tensor, Tensor]


def batches(texts: Path, size: int) -> Iterator[Batch]:
    """Batches of sentences of like length, shuffled, epoch after epoch."""
    pairs = list(zip(read(texts / "train.src"), read(texts / "train.trg"), strict=True))
    pairs.sort(key=lambda pair: (len(pair[0]), len(pair[1])))
    groups = [pairs[start : start + size] for start in range(0, len(pairs), size)]
    while True:
        random.shuffle(groups)
        for group in groups:
            sources = [torch.tensor([*source, EOS]) for source, _ in group]
            targets = [torch.tensor([BOS, *target, EOS]) for _, target in group]
            lengths = torch.tensor([len(source) for source in sources])
            yield pad_sequence(sources, True, PAD), lengths, pad_sequence(targets, True, PAD)


def train_step(model: Seq2Seq, optimiser: torch.optim.Optimizer, batch: Batch, precision: str) -> int:
    """One update; the number of target tokens that were learnt from."""
    source, lengths, target = batch
    given, wanted = target[:, :-1], target[:, 1:]
    with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bfloat16"):
        logits = model(source, lengths, given)
        loss = functional.cross_entropy(
            logits.reshape(-1, logits.shape[-1]), wanted.reshape(-1), ignore_index=PAD, label_smoothing=0.1
        )
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    return int((wanted != PAD).sum())


def main() -> None:
    pace = Pace()
    torch.manual_seed(1)
    random.seed(1)
    model = Seq2Seq(**pace.job["shape"])
    optimiser = torch.optim.Adam(model.parameters())
    stream, precision = batches(Path(pace.job["texts"]), pace.job["batch"]), pace.job.get("precision", "float32")
    for _ in range(pace.job["warm_up"]):
        train_step(model, optimiser, next(stream), precision)
    pace.say(parameters=sum(p.numel() for p in model.parameters()), threads=torch.get_num_threads())
    while True:
        pace.wait()
        num_tokens, begun = 0, time.monotonic()
        while (seconds := time.monotonic() - begun) < pace.job["seconds"]:
            num_tokens += train_step(model, optimiser, next(stream), precision)
        pace.say(rate=num_tokens / seconds)


if __name__ == "__main__":
    main()

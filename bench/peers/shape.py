"""The network that all programs train, and what one of its target tokens costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal


@dataclass(frozen=True)
class Shape:
    """A bidirectional GRU encoder, a GRU decoder, additive attention; no matrix is shared.

    `before`: the cell reads [y; context of the last state], the features are tanh(W[state; context; y]).
    `after`: the cell reads [y; last features], the features are tanh(W[context of the new state; state]).
    """

    vocabulary: int = 8000  # of each side
    embedding: int = 256
    encoder: int = 256  # of each direction
    decoder: int = 256
    attention: int = 256
    dropout: float = 0.2
    wiring: Literal["before", "after"] = "before"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


SHAPE = Shape()
AFTER = replace(
    SHAPE, wiring="after"
)  # JoeyNMT has no other; its features are as wide as its decoder, which is all one here


def flop(shape: Shape, *, num_sources: float, num_positions: float, num_sentences: float) -> float:
    """Floating-point operations of one update for each target token.

    Two for each multiplication in a product of matrices; what is done unit by unit is not counted, nor is padding. The
    backward pass makes two products of each one: by the input and by the weights. For each target token there are
    `num_sources` source tokens, `num_positions` source positions to look at, and `num_sentences` sentences.
    """
    e, h, d, a, v = shape.embedding, shape.encoder, shape.decoder, shape.attention, shape.vocabulary
    memory = 2 * h
    encoder = 2 * 3 * (e + h) * h + memory * a  # two directions of three gates; keys
    attention = a + memory  # vᵀ of each position, its share of the context
    cell_input, read = (e + memory, d + memory + e) if shape.wiring == "before" else (e + e, d + memory)
    decoder = d * a + 3 * (cell_input + d) * d + read * e + e * v  # query, gates, features, logits
    bridge = memory * d
    products = num_sources * encoder + num_positions * attention + decoder + num_sentences * bridge
    return 3 * 2 * products

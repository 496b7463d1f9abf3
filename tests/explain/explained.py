"""Inspections made for the tests of this room."""

from __future__ import annotations

import re

import numpy as np

from regard.explain.inspection import END, Inspection, Piece


def pieces(text: str, pattern: str) -> tuple[Piece, ...]:
    found = [Piece(match.group(), match.start(), match.end()) for match in re.finditer(pattern, text)]
    return (*found, Piece(END, len(text), len(text)))


def inspection(
    source: str,
    target: str,
    pattern: str = r"\S+",
    *,
    num_layers: int = 1,
    num_heads: int = 1,
    sums_to_one: bool = True,
) -> Inspection:
    """Random weights, softmaxed, over the pieces that the pattern finds and the end symbol."""
    rng = np.random.default_rng(3)
    source_pieces, target_pieces = pieces(source, pattern), pieces(target, pattern)
    weights = np.exp(3 * rng.normal(size=(num_layers, num_heads, len(target_pieces), len(source_pieces))))
    weights /= weights.sum(-1, keepdims=True)
    logprobs = tuple(-0.25 * position for position in range(len(target_pieces)))
    weights = weights.astype(np.float32)
    return Inspection(source, target, source_pieces, target_pieces, weights, logprobs, sums_to_one)

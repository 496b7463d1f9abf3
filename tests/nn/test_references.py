"""Every score, window and cell against plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
import torch
from torch import Tensor

from regard.nn import scores, windows
from regard.nn.cells import CellKind, Layer
from regard.nn.scores.base import UnitScore

Vector = list[float]
Matrix = list[Vector]
B, S, T, M, A = 2, 4, 5, 3, 6


def draw(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64)


def kind_of(settings: Any) -> str:
    return str(settings.__struct_config__.tag)


# every score in loops


def inner(x: Vector, y: Vector) -> float:
    return sum(a * b for a, b in zip(x, y, strict=True))


def times(matrix: Matrix, x: Vector) -> Vector:
    return [inner(row, x) for row in matrix]


def unit(x: Vector) -> Vector:
    return [a / math.sqrt(inner(x, x)) for a in x]


def bilinear(score: Any, s: Vector, h: Vector) -> float:
    return inner(s, times(score.map.weight.tolist(), h))


def additive(score: Any, s: Vector, h: Vector) -> float:
    from_memory, from_query = times(score.memory_map.weight.tolist(), h), times(score.query_map.weight.tolist(), s)
    terms = zip(from_memory, from_query, score.query_map.bias.tolist(), strict=True)
    return inner(score.v.weight[0].tolist(), [math.tanh(a + b + c) for a, b, c in terms])


LOOPS: dict[str, Callable[[Any, Vector, Vector], float]] = {
    "dot": lambda score, s, h: inner(s, h),
    "scaled_dot": lambda score, s, h: inner(s, h) / math.sqrt(M),
    "bilinear": bilinear,
    "general": bilinear,
    "scaled_bilinear": lambda score, s, h: bilinear(score, s, h) / math.sqrt(M),
    "additive": additive,
    "concat": additive,
}


@pytest.mark.parametrize("as_unit", [False, True], ids=["plain", "unit"])
@pytest.mark.parametrize("kind", get_args(scores.ScoreSettings), ids=kind_of)
def test_every_score_in_loops(kind: Any, as_unit: bool) -> None:
    query_size = M if "dot" in kind_of(kind) else M + 2  # sizes may differ, but for the dot product
    score: Any = scores.build(kind(unit=as_unit), query_size, M).double()
    query_BTD, memory_BSM = draw(B, T, query_size), draw(B, S, M)
    actual_BTS = score(query_BTD, score.prepare(memory_BSM))
    assert actual_BTS.shape == (B, T, S)
    assert isinstance(score, UnitScore) == as_unit
    for b, t, s in product(range(B), range(T), range(S)):
        query, key = query_BTD[b, t].tolist(), memory_BSM[b, s].tolist()
        if as_unit:
            temperature = math.exp(score.log_temperature.item())
            expected = temperature * LOOPS[kind_of(kind)](score.score, unit(query), unit(key))
        else:
            expected = LOOPS[kind_of(kind)](score, query, key)
        assert actual_BTS[b, t, s].item() == pytest.approx(expected, abs=1e-12)


# every window in loops: (module, query, length, t, s) → gain, or 0 if s is hidden


def local_m(window: Any, query: Vector, length: int, t: int, s: int) -> float:
    centre = t if t < length else length - 1
    return float(centre - window.reach <= s <= centre + window.reach)


def local_p(window: Any, query: Vector, length: int, t: int, s: int) -> float:
    hidden = [math.tanh(x) for x in times(window.hidden.weight.tolist(), query)]
    centre = (length - 1) / (1 + math.exp(-inner(window.v.weight[0].tolist(), hidden)))
    if not centre - window.reach <= s <= centre + window.reach:
        return 0.0
    return math.exp(-((s - centre) ** 2) / (2 * (window.reach / 2) ** 2))


WINDOW_LOOPS: dict[str, Callable[[Any, Vector, int, int, int], float]] = {
    "everywhere": lambda window, query, length, t, s: 1.0,
    "local_m": local_m,
    "local_p": local_p,
}


@pytest.mark.parametrize("kind", get_args(windows.WindowSettings), ids=kind_of)
def test_every_window_in_loops(kind: Any) -> None:
    lengths, num_source, num_target = [7, 2], 7, 9
    window: Any = windows.build(kind(reach=1) if "reach" in kind.__struct_fields__ else kind(), M).double()
    query_BTD = 3 * draw(B, num_target, M)
    position_BT = torch.arange(num_target).expand(B, -1)
    mask_BTS, gain_BTS = window(query_BTD, torch.tensor(lengths), position_BT, num_source)
    shape = (B, num_target, num_source)
    seen = torch.ones(shape, dtype=torch.bool) if mask_BTS is None else mask_BTS
    gain = torch.ones(shape, dtype=torch.float64) if gain_BTS is None else gain_BTS
    assert window.sums_to_one == (gain_BTS is None)
    for b, t in product(range(B), range(num_target)):
        expected = [
            WINDOW_LOOPS[kind_of(kind)](window, query_BTD[b, t].tolist(), lengths[b], t, s) for s in range(num_source)
        ]
        assert (seen[b, t] * gain[b, t]).tolist() == pytest.approx(expected, abs=1e-12)
        assert seen[b, t, : lengths[b]].any(), "a window keeps a real position"


# every cell, gate by gate

Array = np.ndarray[Any, np.dtype[np.float64]]


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def tanh_cell(x: Array, cell: list[Array], W: Array, U: Array, b: Array, c: Array) -> list[Array]:
    return [np.tanh(W @ x + b + U @ cell[0] + c)]


def gru_cell(x: Array, cell: list[Array], W: Array, U: Array, b: Array, c: Array) -> list[Array]:
    h = cell[0]
    (Wr, Wz, Wn), (Ur, Uz, Un), (br, bz, bn), (cr, cz, cn) = (np.split(part, 3) for part in (W, U, b, c))
    r, z = sigmoid(Wr @ x + br + Ur @ h + cr), sigmoid(Wz @ x + bz + Uz @ h + cz)
    n = np.tanh(Wn @ x + bn + r * (Un @ h + cn))
    return [(1 - z) * n + z * h]


def lstm_cell(x: Array, cell: list[Array], W: Array, U: Array, b: Array, c: Array) -> list[Array]:
    h, memory = cell
    i, f, g, o = np.split(W @ x + b + U @ h + c, 4)
    memory = sigmoid(f) * memory + sigmoid(i) * np.tanh(g)
    return [sigmoid(o) * np.tanh(memory), memory]


FORMULAS = {"tanh": tanh_cell, "gru": gru_cell, "lstm": lstm_cell}


@pytest.mark.parametrize("kind", get_args(CellKind))
def test_every_cell_gate_by_gate(kind: CellKind) -> None:
    layer = Layer(kind, M, A).double()
    weights = [parameter.detach().numpy() for parameter in layer.rnn.parameters()]  # W, U, b, c
    x_BTI = draw(B, T, M)
    first = [draw(B, A), 2 * draw(B, A)][: 2 if kind == "lstm" else 1]
    expected_BT = np.zeros((B, T, A))
    lasts = []
    for b in range(B):
        cell = [part[b].numpy() for part in first]
        for t in range(T):
            cell = FORMULAS[kind](x_BTI[b, t].numpy(), cell, *weights)
            expected_BT[b, t] = cell[0]
        lasts.append(cell)
    with torch.no_grad():
        whole_BTD, last = layer(x_BTI, tuple(first))
        stepped = tuple(first)
        for t in range(T):
            stepped = layer.step(x_BTI[:, t], stepped)
            assert np.allclose(stepped[0].numpy(), expected_BT[:, t], rtol=0, atol=1e-12)
    assert np.allclose(whole_BTD.numpy(), expected_BT, rtol=0, atol=1e-12)
    for part, (of_whole, of_steps) in enumerate(zip(last, stepped, strict=True)):
        wanted = np.stack([cell[part] for cell in lasts])
        assert np.allclose(of_whole.numpy(), wanted, rtol=0, atol=1e-12)
        assert np.allclose(of_steps.numpy(), wanted, rtol=0, atol=1e-12)

"""Which wirings have a fast twin for a whole target, and how it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.nn import functional

from regard.nn.attention import Attention
from regard.nn.cells import Cells, Layer, Stack
from regard.nn.fast.after import AfterFedTape
from regard.nn.fast.before import BeforeTape
from regard.nn.fast.gates import GATES
from regard.nn.fast.tape import play
from regard.nn.memory import State
from regard.nn.scores.additive import AdditiveScore
from regard.nn.scores.bilinear import BilinearScore
from regard.nn.scores.dot import DotScore
from regard.nn.windows.everywhere import Everywhere
from regard.nn.wirings.after import AfterFed
from regard.nn.wirings.base import Wiring
from regard.nn.wirings.before import Before

Run = Callable[[Any, Tensor, Stack, Cells, State], tuple[Tensor, Tensor]]  # features_BTE and weights_BTS


def twin(wiring: Wiring, stack: Stack) -> Run | None:
    """The fast twin of `wiring.forward`, or None if there is none for these parts."""
    if len(stack.layers) > 1 or _layer(stack).kind not in GATES:
        return None
    match wiring:
        case Before() if _can(wiring.attention):
            return _before
        case AfterFed() if _can(wiring.attention):
            return _after_fed
        case _:
            return None


def _can(attention: Attention) -> bool:
    known = isinstance(attention.score, AdditiveScore | BilinearScore | DotScore)
    return known and isinstance(attention.window, Everywhere)


def _before(wiring: Before, y_BTE: Tensor, stack: Stack, cells: Cells, state: State) -> tuple[Tensor, Tensor]:
    rnn, y_TBE, memory = _layer(stack).rnn, y_BTE.transpose(0, 1), state.memory
    assert state.keys is not None
    w_y_GE, w_context_GM = rnn.weight_ih_l0.split([y_BTE.shape[2], wiring.input_size], 1)
    s_TBD, contexts_TBM, weights_TBS = play(
        BeforeTape(_layer(stack).kind, memory.mask_BS),
        functional.linear(y_TBE, w_y_GE, rnn.bias_ih_l0),
        state.keys,
        memory.states_BSM,
        w_context_GM,
        rnn.weight_hh_l0,
        rnn.bias_hh_l0,
        *cells[0],
        *_score_weights(wiring.attention),
    )
    features_TBE = wiring.read(s_TBD, contexts_TBM, y_TBE)
    return features_TBE.transpose(0, 1), weights_TBS.transpose(0, 1)


def _after_fed(wiring: AfterFed, y_BTE: Tensor, stack: Stack, cells: Cells, state: State) -> tuple[Tensor, Tensor]:
    rnn, y_TBE, memory = _layer(stack).rnn, y_BTE.transpose(0, 1), state.memory
    assert state.keys is not None
    w_y_GE, w_fed_GE = rnn.weight_ih_l0.split([y_BTE.shape[2], wiring.input_size], 1)
    w_context_EM, w_s_ED = wiring.readout.weight.split([memory.states_BSM.shape[2], stack.size], 1)
    features_TBE, weights_TBS = play(
        AfterFedTape(_layer(stack).kind, memory.mask_BS),
        functional.linear(y_TBE, w_y_GE, rnn.bias_ih_l0),
        state.keys,
        memory.states_BSM,
        state.rows["fed"],
        w_fed_GE,
        w_s_ED,
        w_context_EM,
        rnn.weight_hh_l0,
        rnn.bias_hh_l0,
        *cells[0],
        *_score_weights(wiring.attention),
    )
    return features_TBE.transpose(0, 1), weights_TBS.transpose(0, 1)


def _score_weights(attention: Attention) -> tuple[Tensor, ...]:
    """What a score has to say of a query: W₂, b and v if it is additive."""
    score = attention.score
    return (score.query_map.weight, score.query_map.bias, score.v.weight[0]) if isinstance(score, AdditiveScore) else ()


def _layer(stack: Stack) -> Layer:
    layer = stack.layers[0]
    assert isinstance(layer, Layer)
    return layer

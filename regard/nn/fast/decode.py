"""Which wirings have a fast twin for a whole target, and how it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from regard.nn.cells import Cells, Stack
from regard.nn.fast.after import AfterFedTape
from regard.nn.fast.before import BeforeTape
from regard.nn.fast.parts import Parts, known, layer_of
from regard.nn.fast.tape import play
from regard.nn.memory import State
from regard.nn.products import linear
from regard.nn.wirings.after import AfterFed
from regard.nn.wirings.base import Wiring
from regard.nn.wirings.before import Before

Run = Callable[[Any, Tensor, Stack, Cells, State, bool], tuple[Tensor, Tensor]]


def twin(wiring: Wiring, stack: Stack) -> Run | None:
    """The fast twin of `wiring.forward`, or None if there is none for these parts.

    It gives features_BTE and, if it is told to look, weights_BTS, which have no gradient.
    """
    match wiring:
        case Before() if known(wiring.attention, stack):
            return _before
        case AfterFed() if known(wiring.attention, stack):
            return _after_fed
        case _:
            return None


def _before(
    wiring: Before, y_BTE: Tensor, stack: Stack, cells: Cells, state: State, look: bool
) -> tuple[Tensor, Tensor]:
    parts = Parts(wiring.attention, stack, state.memory, look)
    x_TBG, w_context_GM = _inputs(wiring, y_BTE, stack)
    memory, weights = _memory(state), parts.weights(cells[0])
    s_TBD, contexts_TBM, weights_TBS = play(
        BeforeTape(parts), x_TBG, *memory, w_context_GM, *_recurrence(stack), *weights
    )
    features_TBE = wiring.read(s_TBD, contexts_TBM, y_BTE.transpose(0, 1))
    return features_TBE.transpose(0, 1), weights_TBS.transpose(0, 1) if look else weights_TBS


def _after_fed(
    wiring: AfterFed, y_BTE: Tensor, stack: Stack, cells: Cells, state: State, look: bool
) -> tuple[Tensor, Tensor]:
    parts = Parts(wiring.attention, stack, state.memory, look)
    x_TBG, w_fed_GE = _inputs(wiring, y_BTE, stack)
    memory, weights = _memory(state), parts.weights(cells[0])
    w_context_EM, w_s_ED = wiring.readout.weight.split([state.memory.states_BSM.shape[2], stack.size], 1)
    readout = (state.rows["fed"], w_fed_GE, w_s_ED, w_context_EM)
    features_TBE, weights_TBS = play(AfterFedTape(parts), x_TBG, *memory, *readout, *_recurrence(stack), *weights)
    return features_TBE.transpose(0, 1), weights_TBS.transpose(0, 1) if look else weights_TBS


def _inputs(wiring: Wiring, y_BTE: Tensor, stack: Stack) -> tuple[Tensor, Tensor]:
    """W_y y + b of all steps in one product, and the weights of what else the cell reads."""
    rnn = layer_of(stack).rnn
    w_y_GE, w_more_GX = rnn.weight_ih_l0.split([y_BTE.shape[2], wiring.input_size], 1)
    return linear(y_BTE.transpose(0, 1), w_y_GE, rnn.bias_ih_l0), w_more_GX


def _recurrence(stack: Stack) -> tuple[Tensor, Tensor]:
    """U and its bias."""
    rnn = layer_of(stack).rnn
    return rnn.weight_hh_l0, rnn.bias_hh_l0


def _memory(state: State) -> tuple[Tensor, Tensor]:
    assert state.keys is not None
    return state.keys, state.memory.states_BSM

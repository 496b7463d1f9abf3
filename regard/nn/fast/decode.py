"""Which wirings have a fast twin for a whole target, and how it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.nn import functional

from regard.nn.cells import Cells, Stack
from regard.nn.fast.after import AfterFedTape
from regard.nn.fast.before import BeforeTape
from regard.nn.fast.parts import Parts, known, layer_of
from regard.nn.fast.tape import play
from regard.nn.memory import State
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
    rnn, y_TBE = layer_of(stack).rnn, y_BTE.transpose(0, 1)
    parts = Parts(wiring.attention, stack, state.memory, look)
    w_y_GE, w_context_GM = rnn.weight_ih_l0.split([y_BTE.shape[2], wiring.input_size], 1)
    assert state.keys is not None
    s_TBD, contexts_TBM, weights_TBS = play(
        BeforeTape(parts),
        functional.linear(y_TBE, w_y_GE, rnn.bias_ih_l0),
        state.keys,
        state.memory.states_BSM,
        w_context_GM,
        rnn.weight_hh_l0,
        rnn.bias_hh_l0,
        *parts.weights(cells[0]),
    )
    features_TBE = wiring.read(s_TBD, contexts_TBM, y_TBE)
    return features_TBE.transpose(0, 1), weights_TBS.transpose(0, 1) if look else weights_TBS


def _after_fed(
    wiring: AfterFed, y_BTE: Tensor, stack: Stack, cells: Cells, state: State, look: bool
) -> tuple[Tensor, Tensor]:
    rnn, y_TBE = layer_of(stack).rnn, y_BTE.transpose(0, 1)
    parts = Parts(wiring.attention, stack, state.memory, look)
    w_y_GE, w_fed_GE = rnn.weight_ih_l0.split([y_BTE.shape[2], wiring.input_size], 1)
    w_context_EM, w_s_ED = wiring.readout.weight.split([state.memory.states_BSM.shape[2], stack.size], 1)
    assert state.keys is not None
    features_TBE, weights_TBS = play(
        AfterFedTape(parts),
        functional.linear(y_TBE, w_y_GE, rnn.bias_ih_l0),
        state.keys,
        state.memory.states_BSM,
        state.rows["fed"],
        w_fed_GE,
        w_s_ED,
        w_context_EM,
        rnn.weight_hh_l0,
        rnn.bias_hh_l0,
        *parts.weights(cells[0]),
    )
    return features_TBE.transpose(0, 1), weights_TBS.transpose(0, 1) if look else weights_TBS

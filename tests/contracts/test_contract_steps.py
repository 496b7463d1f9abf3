"""Step by step equals all at once, and the rows of a state can be moved about."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from variants import ALL, FEW, batch, close, examples, name, network

from regard.models import Seq2SeqSettings
from regard.models.seq2seq import Seq2Seq
from regard.nn.memory import State


@pytest.mark.parametrize("settings", ALL, ids=name)
def test_step_by_step_equals_all_at_once(settings: Seq2SeqSettings) -> None:
    model, tensors = network(settings), batch(examples())
    with torch.no_grad():
        memory = tensors.memory(model)
        given_BT, wanted_BT = tensors.target_BT[:, :-1], tensors.target_BT[:, 1:]
        forced = model.force(memory, tensors.target_BT, torch.full((3,), given_BT.shape[1]), look=True)
        state = model.start(memory)
        for t in range(given_BT.shape[1]):
            logits_BV, weights, state = model.step(given_BT[:, t], state, look=True)
            logprob_B = torch.log_softmax(logits_BV, -1).gather(1, wanted_BT[:, t, None])[:, 0]
            assert close(logprob_B, forced.logprobs_BT[:, t])
            assert (weights is None) == (forced.weights_BLHTS is None)
            if weights is not None and forced.weights_BLHTS is not None:
                assert close(weights, forced.weights_BLHTS[..., t : t + 1, :])


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_weights_are_given_only_if_asked_for(settings: Seq2SeqSettings) -> None:
    model, tensors = network(settings), batch(examples())
    with torch.no_grad():
        memory = tensors.memory(model)
        assert model.force(memory, tensors.target_BT, tensors.target_length_B).weights_BLHTS is None
        assert model.step(tensors.target_BT[:, 0], model.start(memory))[1] is None


def warm(model: Seq2Seq) -> State:
    """Two rows for each of three sentences, after two steps in which all rows went different ways."""
    state = model.start(batch(examples()).memory(model)).select(torch.tensor([0, 0, 1, 1, 2, 2]))
    for tokens in ([3, 4, 5, 6, 7, 8], [8, 8, 3, 4, 5, 9]):
        *_, state = model.step(torch.tensor(tokens), state)
    return state


def step(model: Seq2Seq, token_R: Tensor, state: State) -> list[Tensor]:
    """What two more steps with these tokens give."""
    logits_RV, weights, state = model.step(token_R, state, look=True)
    return [logits_RV, *([] if weights is None else [weights]), model.step(token_R, state)[0]]


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_selected_rows_give_what_they_would_have_given(settings: Seq2SeqSettings) -> None:
    model = network(settings)
    token_R, rows_R = torch.tensor([3, 4, 5, 6, 7, 8]), torch.tensor([1, 0, 2, 2, 5, 4])
    with torch.no_grad():
        state = warm(model)
        expected, actual = step(model, token_R, state), step(model, token_R[rows_R], state.select(rows_R))
    for old, new in zip(expected, actual, strict=True):
        assert close(new, old[rows_R])
        assert not close(old[0], old[1])


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_kept_sentences_give_what_they_would_have_given(settings: Seq2SeqSettings) -> None:
    model = network(settings)
    token_R, rows_R = torch.tensor([3, 4, 5, 6, 7, 8]), torch.tensor([0, 1, 4, 5])
    with torch.no_grad():
        state = warm(model)
        expected = step(model, token_R, state)
        actual = step(model, token_R[rows_R], state.keep(torch.tensor([0, 2])))
    for old, new in zip(expected, actual, strict=True):
        assert close(new, old[rows_R])

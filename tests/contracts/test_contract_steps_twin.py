"""The fast twin of start and step equals the plain ones, with and without its tables."""

from __future__ import annotations

import msgspec
import pytest
import torch
from torch import Tensor
from variants import ALL, NUM_TOKENS, batch, close, examples, name, network

from regard import models
from regard.models import Seq2SeqSettings
from regard.models.seq2seq import Seq2Seq, Twin
from regard.nn.decoders import RnnDecoderSettings
from regard.nn.scores.additive import AdditiveScore

# (width, rows in all): one row a sentence or three, with a table of all tokens or without
FORMS = [(1, 0), (3, 0), (1, NUM_TOKENS + 1), (3, NUM_TOKENS + 1)]


def walk(model: Seq2Seq, twin: Twin | None, width: int) -> list[Tensor]:
    """What three steps give, with a change of places and a sentence that leaves between them."""
    state = model.start(batch(examples(), more_source=1).memory(model), twin)
    state = state.select(torch.arange(3).repeat_interleave(width))
    token_R = torch.arange(3 * width) % NUM_TOKENS
    given: list[Tensor] = []
    for turn in range(3):
        logits_RV, weights, state = model.step(token_R, state, twin, look=True)
        given += [logits_RV, *([] if weights is None else [weights])]
        if turn == 0:
            state = state.keep(torch.tensor([0, 2]))
            token_R = token_R[: 2 * width].flip(0)
        order_BW = torch.arange(2 * width).view(2, width).flip(1)
        state = state.select(order_BW.flatten())
    return given


RECURRENT = [settings for settings in ALL if isinstance(settings.decoder, RnnDecoderSettings)]


@pytest.mark.parametrize("settings", RECURRENT, ids=name)
def test_the_twin_equals_the_plain_step(settings: Seq2SeqSettings) -> None:
    model = network(settings)
    with torch.no_grad():
        for width, num_rows in FORMS:
            twin = model.twin(width=width, num_rows=num_rows)
            assert twin is not None and twin.steps is not None
            assert (twin.steps.table_VX is None) == (num_rows == 0)
            for actual, expected in zip(walk(model, twin, width), walk(model, None, width), strict=True):
                assert close(actual, expected)


@pytest.mark.parametrize("fast", [True, False], ids=["twin", "plain"])
@pytest.mark.parametrize("settings", ALL, ids=name)
def test_a_sentence_may_have_more_rows_than_another(settings: Seq2SeqSettings, fast: bool) -> None:
    """Of two rows for each of three sentences, some are dropped; then a sentence leaves."""
    model = network(settings)
    twin = model.twin(width=2, num_rows=0) if fast else None
    token_R = torch.arange(6) % NUM_TOKENS
    with torch.no_grad():
        state = model.start(batch(examples()).memory(model), twin).select(torch.tensor([0, 0, 1, 1, 2, 2]))
        even = model.step(token_R, state, twin)[2]
        for rows_R in (torch.tensor([0, 1, 3, 4]), torch.tensor([1, 2, 3, 5]), torch.tensor([0, 2, 5])):
            expected_RV, expected, even_after = model.step(token_R, even, twin, look=True)
            logits_RV, weights, after = model.step(token_R[rows_R], even.select(rows_R), twin, look=True)
            assert close(logits_RV, expected_RV[rows_R])
            assert (weights is None) == (expected is None)
            if weights is not None and expected is not None:
                assert close(weights, expected[rows_R])
            stay_B = torch.tensor([1, 2])
            last_R = rows_R[rows_R > 1] - 2
            logits_RV = model.step(token_R[last_R], after.keep(stay_B), twin)[0]
            assert close(logits_RV, model.step(token_R[:4], even_after.keep(stay_B), twin)[0][last_R])


@pytest.mark.parametrize("fast", [True, False], ids=["twin", "plain"])
@pytest.mark.parametrize("settings", ALL, ids=name)
def test_sentences_that_have_come_to_different_positions_join(settings: Seq2SeqSettings, fast: bool) -> None:
    model, width = network(settings), 2
    twin = model.twin(width=width, num_rows=0) if fast else None
    long, short = examples()[:1], examples()[1:]
    token_R = torch.arange(3 * width) % NUM_TOKENS
    with torch.no_grad():
        states = []
        for some, num_steps in ((long, 3), (short, 1)):
            state = model.start(batch(some, more_source=2).memory(model), twin)
            state = state.select(torch.arange(len(some)).repeat_interleave(width))
            for _ in range(num_steps):
                state = model.step(token_R[: len(some) * width], state, twin)[2]
            states.append(state)
        for one, other in (states, states[::-1]):
            num_rows = len(one.position_R)
            joined = one.join(other)
            assert joined.memory.mask_BS.any(0).all(), "no more padding than needed"
            logits_RV, _, after = model.step(token_R, joined, twin)
            assert close(logits_RV[:num_rows], model.step(token_R[:num_rows], one, twin)[0])
            other_RV, _, alone = model.step(token_R[num_rows:], other, twin)
            assert close(logits_RV[num_rows:], other_RV)
            assert after.position_R.tolist() == [*one.position_R + 1, *other.position_R + 1]
            parted = after.keep(torch.arange(len(one.memory.length_B), len(after.memory.length_B)))
            assert parted.rows.keys() == alone.rows.keys()
            assert all(close(parted.rows[name], part) for name, part in alone.rows.items()), "nothing of the others"


def test_the_twin_can_be_switched_off() -> None:
    settings = msgspec.structs.replace(ALL[0], fast=False)
    plain = models.build_seq2seq(settings, num_source=NUM_TOKENS, num_target=NUM_TOKENS, joint=True)
    assert plain.twin(width=3, num_rows=100) is None


def test_queries_and_keys_may_be_huge() -> None:
    """They are far from it after training; there must still be numbers, and the right ones where tanh is flat."""
    from regard.nn.fast.additive_score import FastAdditiveScore

    torch.manual_seed(1)
    score = AdditiveScore(4, 4, size=3)
    fast = FastAdditiveScore(score)
    query_BTD = torch.tensor([[[1.0, -2, 3, 4], [-300.0, 200, 100, 500]]])
    memory_BSM = torch.tensor([[[1.0, 2, -3, 4], [2000.0, 100, -100, 300], [0.0, 0, 0, 0]]])
    with torch.no_grad():
        plain_BTS, fast_BTS = (one(query_BTD, one.prepare(memory_BSM)) for one in (score, fast))
    assert fast_BTS.isfinite().all()
    assert torch.allclose(fast_BTS[0, 0].softmax(-1), plain_BTS[0, 0].softmax(-1), atol=1e-5)

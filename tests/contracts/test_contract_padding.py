"""Padding is invisible, and a sentence does not know who stands beside it."""

from __future__ import annotations

import pytest
import torch
from variants import ALL, CELLS, FEW, batch, close, examples, name, network

from regard.models import Seq2SeqSettings


@pytest.mark.parametrize("settings", ALL, ids=name)
def test_padding_is_invisible(settings: Seq2SeqSettings) -> None:
    model = network(settings)
    tight, loose = batch(examples()), batch(examples(), more_source=4, more_target=3)
    num_target, num_source = tight.target_BT.shape[1] - 1, tight.source_BS.shape[1]
    with torch.no_grad():
        expected, actual = tight.force(model), loose.force(model)
        assert close(actual.logprobs_BT[:, :num_target], expected.logprobs_BT)
        assert not actual.logprobs_BT[:, num_target:].any()
        assert (actual.weights_BLHTS is None) == (expected.weights_BLHTS is None) == (not model.decoder.attends)
        if actual.weights_BLHTS is not None and expected.weights_BLHTS is not None:
            assert close(actual.weights_BLHTS[..., :num_target, :num_source], expected.weights_BLHTS)
            assert not actual.weights_BLHTS[..., num_source:].any()
        padded, bare = model.loss(*loose, smoothing=0.1), model.loss(*tight, smoothing=0.1)
        assert close(padded.total, bare.total) and close(padded.nll, bare.nll)
        assert padded.num_tokens == bare.num_tokens


@pytest.mark.parametrize("settings", CELLS, ids=name)
def test_a_memory_is_blank_on_padding_and_knows_the_true_lengths(settings: Seq2SeqSettings) -> None:
    tensors = batch(examples(), more_source=2)
    with torch.no_grad():
        memory = tensors.memory(network(settings))
    assert not memory.states_BSM[~memory.mask_BS].any()
    assert torch.equal(memory.mask_BS.sum(1), tensors.source_length_B)
    assert torch.equal(memory.length_B, tensors.source_length_B)


@pytest.mark.parametrize("settings", FEW, ids=name)
def test_a_sentence_alone_equals_the_sentence_in_a_batch(settings: Seq2SeqSettings) -> None:
    model = network(settings)
    with torch.no_grad():
        together = batch(examples()).force(model)
        for row, example in enumerate(examples()):
            alone = batch([example]).force(model)
            assert close(together.logprobs_BT[row, : example.num_tokens], alone.logprobs_BT[0])
            if alone.weights_BLHTS is not None and together.weights_BLHTS is not None:
                seen = together.weights_BLHTS[row, :, :, : example.num_tokens, : len(example.source)]
                assert close(seen, alone.weights_BLHTS[0])

"""Where a network looks: real positions only, within its window, and as a distribution if it says so."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from variants import ALL, ATTENTIONS, JUNK, PAIRED, batch, close, examples, name, network

from regard.models import Seq2SeqSettings
from regard.nn.windows import EverywhereSettings, LocalMSettings
from regard.nn.windows.local_p import LocalP


def window_of(settings: Seq2SeqSettings) -> Any:
    return getattr(settings.decoder.wiring, "window", None)


LOOKING = [settings for settings in ATTENTIONS if hasattr(settings.decoder.wiring, "window")]
LOCAL = [settings for settings in LOOKING if not isinstance(window_of(settings), EverywhereSettings)]


def weights(settings: Seq2SeqSettings) -> Tensor:
    """weights_BTS of the examples, with targets that are all much longer than their sources."""
    tensors = batch(examples(), more_source=2)
    tensors = tensors._replace(target_BT=torch.cat([tensors.target_BT, torch.full((3, 6), JUNK)], dim=1))
    with torch.no_grad():
        forced = tensors.force(network(settings))
    assert forced.weights_BLHTS is not None
    assert forced.weights_BLHTS.shape == (3, 1, 1, tensors.target_BT.shape[1] - 1, tensors.source_BS.shape[1])
    return forced.weights_BLHTS[:, 0, 0]


@pytest.mark.parametrize("settings", LOOKING, ids=name)
def test_weights_are_a_distribution_over_real_positions(settings: Seq2SeqSettings) -> None:
    weights_BTS, tensors = weights(settings), batch(examples())
    assert (weights_BTS >= 0).all()
    for row, length in enumerate(tensors.source_length_B.tolist()):
        assert not weights_BTS[row, :, length:].any()
    total_BT = weights_BTS.sum(-1)
    if network(settings).decoder.sums_to_one:
        assert torch.allclose(total_BT, torch.ones_like(total_BT), rtol=0, atol=1e-12)
    else:
        assert (total_BT < 1).all() and (total_BT > 0).all()


@pytest.mark.parametrize("settings", LOCAL, ids=name)
def test_a_local_window_hides_the_rest(settings: Seq2SeqSettings) -> None:
    weights_BTS = weights(settings)
    window = window_of(settings)
    assert ((weights_BTS > 0).sum(-1) <= 2 * window.reach + 1).all()
    assert (weights_BTS[0] == 0).any()  # the longest source is longer than the window
    if isinstance(window, LocalMSettings):
        for row, length in enumerate(batch(examples()).source_length_B.tolist()):
            for t in range(weights_BTS.shape[1]):
                # beyond the end of the source the nearest real position stays the centre
                centre = min(t, length - 1)
                seen = {s for s in range(length) if abs(s - centre) <= window.reach}
                assert set(weights_BTS[row, t].nonzero()[:, 0].tolist()) == seen


def is_distribution(weights_BLHTS: Tensor, num_rows_B: Tensor, num_columns_B: Tensor) -> bool:
    """Of real positions over real positions."""
    for weights_LHTS, num_rows, num_columns in zip(weights_BLHTS, num_rows_B, num_columns_B, strict=True):
        rows_LHTS = weights_LHTS[:, :, :num_rows]
        if (rows_LHTS < 0).any() or rows_LHTS[..., num_columns:].any():
            return False
        if not close(rows_LHTS.sum(-1), torch.ones(rows_LHTS.shape[:-1], dtype=torch.float64)):
            return False
    return True


@pytest.mark.parametrize("settings", [settings for settings in ALL if network(settings).encoder.looks_within], ids=name)
def test_a_source_looks_at_its_own_real_positions(settings: Seq2SeqSettings) -> None:
    tensors, built = batch(examples(), more_source=2), network(settings)
    with torch.no_grad():
        seen = built.encode(tensors.source_BS, tensors.source_length_B, look=True)
        unseen = built.encode(tensors.source_BS, tensors.source_length_B)
    assert seen.weights_BLHSS is not None and unseen.weights_BLHSS is None
    num_source = tensors.source_BS.shape[1]
    assert seen.weights_BLHSS.shape[1:] == (settings.encoder.num_layers, 2, num_source, num_source)
    assert is_distribution(seen.weights_BLHSS, tensors.source_length_B, tensors.source_length_B)
    assert close(seen.states_BSM, unseen.states_BSM), "to look changes nothing"


@pytest.mark.parametrize("settings", [settings for settings in ALL if network(settings).decoder.looks_back], ids=name)
def test_a_target_looks_back_at_what_is_written(settings: Seq2SeqSettings) -> None:
    tensors = batch(examples(), more_target=2)
    with torch.no_grad():
        past_BLHTT = tensors.force(network(settings), back=True).weights_BLHTS
    assert past_BLHTT is not None
    num_target = tensors.target_BT.shape[1] - 1
    assert past_BLHTT.shape[1:] == (settings.decoder.num_layers, 2, num_target, num_target)
    assert is_distribution(past_BLHTT, tensors.target_length_B, tensors.target_length_B)
    assert not past_BLHTT.triu(1).any(), "nobody sees what comes"


def test_what_does_not_look_within_has_nothing_to_show() -> None:
    tensors = batch(examples())
    for settings in PAIRED:
        built = network(settings)
        if not built.encoder.looks_within:
            assert built.encode(tensors.source_BS, tensors.source_length_B, look=True).weights_BLHSS is None


def test_the_centre_of_local_p_is_a_share_of_the_true_length() -> None:
    window = LocalP(2, reach=2, size=3).double()
    torch.nn.init.zeros_(window.v.weight)  # σ(0) = ½: the middle of each sentence
    length_B, query_BTD = torch.tensor([1, 3, 5, 9]), torch.randn(4, 2, 2, dtype=torch.float64)
    for num_source in (9, 14):
        view = window(query_BTD, length_B, torch.zeros(4, 2, dtype=torch.long), num_source)
        assert view.gain_BTS.argmax(-1).tolist() == [[0, 0], [1, 1], [2, 2], [4, 4]]
        assert (view.gain_BTS.amax(-1) == 1).all()

"""Where a network looks: real positions only, within its window, and as a distribution if it says so."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from variants import ATTENTIONS, JUNK, batch, examples, name, network

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


def test_the_centre_of_local_p_is_a_share_of_the_true_length() -> None:
    window = LocalP(2, reach=2, size=3).double()
    torch.nn.init.zeros_(window.v.weight)  # σ(0) = ½: the middle of each sentence
    length_B, query_BTD = torch.tensor([1, 3, 5, 9]), torch.randn(4, 2, 2, dtype=torch.float64)
    for num_source in (9, 14):
        view = window(query_BTD, length_B, torch.zeros(4, 2, dtype=torch.long), num_source)
        assert view.gain_BTS.argmax(-1).tolist() == [[0, 0], [1, 1], [2, 2], [4, 4]]
        assert (view.gain_BTS.amax(-1) == 1).all()

"""bfloat16 rounds products of matrices where training asks for it, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from copy import deepcopy

import msgspec
import pytest
import torch
from torch import Tensor, nn
from variants import FEW, batch, examples, name, network

from regard.cli import train
from regard.models import Seq2SeqSettings
from regard.nn.dropout import Noise
from regard.nn.embedding import OutputLayer
from regard.nn.fast.loss import cross_entropy as fast_cross_entropy
from regard.nn.loss import cross_entropy
from regard.nn.products import Factor, Linear, gain, linear, multiplied, product

X, Y, W, B = (
    torch.randn(*shape, generator=torch.Generator().manual_seed(3)) for shape in [(7, 40), (7, 9), (40, 9), (9,)]
)
PRODUCTS: dict[str, Callable[[], Tensor]] = {
    "times": lambda: Factor(W).times(X),
    "times, written": lambda: Factor(W).times(X, out=torch.empty(7, 9)),
    "added": lambda: Factor(W).add(Y, X, out=torch.empty(7, 9)) - Y,
    "turned": lambda: Factor(W.T.contiguous()).T.times(X),
    "once": lambda: product(X, W),
    "linear": lambda: linear(X, W.T),
    "linear, biased": lambda: linear(X, W.T, B) - B,
    "of many rows": lambda: linear(X.expand(3, 7, 40), W.T)[1],
}


@pytest.mark.parametrize("made", PRODUCTS.values(), ids=PRODUCTS)
def test_a_product_is_that_of_rounded_factors_rounded_once_more(made: Callable[[], Tensor]) -> None:
    exact = X.bfloat16().double() @ W.bfloat16().double()
    with multiplied("bfloat16"):
        found = made()
    assert found.dtype == torch.float32
    # half a unit in the eighth place of what was rounded, which may be a sum with a bias
    assert ((found - exact).abs() <= 2**-8 * (exact.abs() + 4)).all()
    assert not torch.allclose(found, X @ W, rtol=1e-4, atol=1e-4), "it was rounded at all"
    torch.testing.assert_close(made(), X @ W)


def test_gradients_of_a_rounded_layer() -> None:
    layer = Linear(40, 9)
    x = X.clone().requires_grad_()
    with multiplied("bfloat16"):
        found = torch.autograd.grad((layer(x) * Y).sum(), [x, *layer.parameters()])
    wanted = torch.autograd.grad(
        (nn.functional.linear(x, layer.weight, layer.bias) * Y).sum(), [x, *layer.parameters()]
    )
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == torch.float32
        assert 1e-5 < off(ours, theirs) < 0.01 or torch.equal(ours, theirs)


@pytest.mark.parametrize("settings", FEW, ids=name)
@pytest.mark.parametrize("fast", [True, False], ids=["fast", "plain"])
def test_a_network_learns_nearly_the_same(settings: Seq2SeqSettings, fast: bool) -> None:
    exact, rounded = (learnt(settings, precision, fast, torch.float32) for precision in ("float32", "bfloat16"))
    # where one of five units is rounded past the kink of a ReLU, its gradient is all or nothing
    assert 1e-6 < off(rounded, exact) < 0.15


@pytest.mark.parametrize("settings", FEW[:3], ids=name)
def test_what_is_no_float32_is_left_alone(settings: Seq2SeqSettings) -> None:
    exact, rounded = (learnt(settings, precision, True, torch.float64) for precision in ("float32", "bfloat16"))
    assert torch.equal(exact, rounded)


@pytest.mark.parametrize("scale", [1.0, 40.0], ids=["usual logits", "enormous logits"])
def test_the_loss_in_pieces(scale: float) -> None:
    torch.manual_seed(4)
    layer = OutputLayer(nn.Parameter(torch.randn(2500, 24) * 0.1 * scale))
    features_NE, target_N = torch.randn(30, 24, requires_grad=True), torch.randint(2500, (30,))
    inputs = [features_NE, *layer.parameters()]
    wanted = cross_entropy(features_NE, layer, target_N, 0.1)
    with multiplied("bfloat16"):
        found = fast_cross_entropy(features_NE, layer, target_N, 0.1)
    assert abs(found.total.item() / wanted.total.item() - 1) < 0.01
    for ours, theirs in zip(*(torch.autograd.grad(one.total, inputs) for one in (found, wanted)), strict=True):
        assert off(ours, theirs) < 0.03


def test_others_are_not_rounded_meanwhile() -> None:
    found: list[Tensor] = []
    with multiplied("bfloat16"):
        other = threading.Thread(target=lambda: found.append(product(X, W)))
        other.start()
        other.join()
        assert not torch.equal(product(X, W), X @ W)
    assert torch.equal(found[0], X @ W)
    assert torch.equal(product(X, W), X @ W)


def test_whoever_asks_for_it_is_told_whether_it_pays() -> None:
    assert gain() > 0
    assert train._rounded(2.04) == ("products", "of bfloat16, 2.0 times as fast as those of float32 here")
    kind, text = train._rounded(0.5)
    assert kind == "warning" and "2.0 times as slow" in text and "train.precision=float32" in text


def learnt(settings: Seq2SeqSettings, precision: str, fast: bool, dtype: torch.dtype) -> Tensor:
    """The gradients of the loss, one after the other."""
    model = deepcopy(network(msgspec.structs.replace(settings, fast=fast))).to(dtype)  # others use it, too
    with multiplied(precision):  # type: ignore[arg-type]
        loss = model.loss(*batch(examples()), smoothing=0.1, noise=Noise(1, 2))
        gradients = torch.autograd.grad(loss.total, list(model.parameters()))
    assert all(gradient.dtype == dtype for gradient in gradients)
    return torch.cat([gradient.flatten() for gradient in gradients])


def off(found: Tensor, wanted: Tensor) -> float:
    """How far it is from what is wanted, as a share of that."""
    return float((found - wanted).norm() / wanted.norm())

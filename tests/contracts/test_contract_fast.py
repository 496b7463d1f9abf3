"""A fast twin is its plain part: the same losses, gradients, log-probabilities and weights."""

from __future__ import annotations

import gc

import msgspec
import pytest
import torch
from torch import Tensor, nn
from variants import ALL, FEW, Tensors, batch, close, covering, examples, name, network

from regard.models import Seq2SeqSettings
from regard.models.seq2seq import Seq2Seq
from regard.nn import embedding
from regard.nn.decoders import RnnDecoderSettings
from regard.nn.decoders.rnn import RnnDecoder
from regard.nn.dropout import Noise
from regard.nn.embedding import OutputLayer
from regard.nn.encoders import RnnEncoderSettings
from regard.nn.fast import attending, decode, heads, loss, reading
from regard.nn.fast.after import AfterFedTape
from regard.nn.fast.before import BeforeTape
from regard.nn.fast.heads import HeadsTape
from regard.nn.fast.loss import LossTape
from regard.nn.fast.loss import cross_entropy as fast_cross_entropy
from regard.nn.fast.reading import ReadingTape
from regard.nn.fast.scan import ScanTape
from regard.nn.fast.turn import TurnTape
from regard.nn.loss import cross_entropy
from regard.nn.multihead import MultiHead
from regard.nn.positions.rotary import Rotary


def has_twin(settings: Seq2SeqSettings) -> bool:
    """Whether its decoder has one, or is made of parts that have."""
    decoder = network(settings).decoder
    return not isinstance(decoder, RnnDecoder) or decode.twin(decoder.wiring, decoder.stack) is not None


TWINS = [settings for settings in ALL if has_twin(settings)]
# one for each wiring and each past, under encoders that have tapes of their own
ONE_A_TAPE = list(
    {
        (type(wiring), getattr(wiring, "feed", None), type(getattr(s.decoder, "past", None))): s
        for s in TWINS
        for wiring in [getattr(s.decoder, "wiring", None)]
        if isinstance(s.encoder, RnnEncoderSettings)
    }.values()
)
TAPES = (BeforeTape, AfterFedTape, LossTape, ReadingTape, ScanTape, HeadsTape, TurnTape)
STEPPED = [settings for settings in TWINS if isinstance(settings.decoder, RnnDecoderSettings)]


def results(model: Seq2Seq, tensors: Tensors) -> list[Tensor]:
    """The loss with dropout, its gradients, and the output for given targets."""
    loss = model.loss(*tensors, smoothing=0.1, noise=Noise(1, 2))
    gradients = torch.autograd.grad(loss.total, list(model.parameters()))
    forced = tensors.force(model)
    return [loss.total, loss.nll, *gradients, forced.logprobs_BT, forced.weights_BLHTS]  # type: ignore[list-item]


def check(settings: Seq2SeqSettings, tensors: Tensors) -> None:
    plain = msgspec.structs.replace(settings, fast=False)
    for ours, theirs in zip(results(network(settings), tensors), results(network(plain), tensors), strict=True):
        assert close(ours, theirs)


def test_the_wirings_that_learn_step_by_step_have_twins() -> None:
    kinds = {
        (s.decoder.cell, type(s.decoder.wiring).__name__, type(s.decoder.wiring.score).__name__)  # type: ignore[union-attr]
        for s in TWINS
        if isinstance(s.decoder, RnnDecoderSettings)
    }
    assert {cell for cell, _, _ in kinds} == {"gru", "lstm"}
    for wiring in ("BeforeSettings", "AfterSettings"):
        assert {score for _, w, score in kinds if w == wiring} >= {
            "AdditiveSettings",
            "DotSettings",
            "BilinearSettings",
        }


@pytest.mark.parametrize("settings", TWINS, ids=name)
def test_a_twin_is_its_plain_part(settings: Seq2SeqSettings) -> None:
    check(settings, batch(examples()))


ENCODERS = list({settings.encoder: settings for settings in ALL}.values())


def encoded(model: Seq2Seq, tensors: Tensors) -> list[Tensor]:
    """The memory with dropout, and the gradients of something that depends on all of it."""
    memory = model.encode(*tensors[:2], Noise(1, 2))
    found = [memory.states_BSM, memory.summary_BM]
    total = sum(((x.detach() + 1) * x).sum() for x in found)
    assert isinstance(total, Tensor)
    return [*found, *torch.autograd.grad(total, [*model.source.parameters(), *model.encoder.parameters()])]


@pytest.mark.parametrize("settings", ENCODERS, ids=name)
def test_an_encoder_reads_as_its_plain_part(settings: Seq2SeqSettings) -> None:
    plain, tensors = msgspec.structs.replace(settings, fast=False), batch(examples())
    pairs = zip(encoded(network(settings), tensors), encoded(network(plain), tensors), strict=True)
    assert all(close(ours, theirs) for ours, theirs in pairs)


def test_both_kinds_of_gates_read_fast_in_one_and_both_directions() -> None:
    found = {
        (settings.encoder.cell, settings.encoder.bidirectional, settings.encoder.num_layers)
        for settings in ENCODERS
        if isinstance(settings.encoder, RnnEncoderSettings)
        and all(reading.known([layer.forwards]) for layer in network(settings).encoder.layers)
    }
    assert {cell for cell, _, _ in found} == {"gru", "lstm"}
    assert {both for _, both, _ in found} == {True, False}


@pytest.mark.parametrize("settings", TWINS[::7], ids=name)
def test_without_padding(settings: Seq2SeqSettings) -> None:
    """Masks are left out where there is nothing to mask."""
    check(settings, batch(examples()[:1] * 3))


@pytest.mark.parametrize("longest", [0, 128], ids=["long", "short"])
@pytest.mark.parametrize("rate", [0.0, 0.3])
@pytest.mark.parametrize("masked", ["nothing", "padding", "future"])
def test_heads_of_any_length(longest: int, rate: float, masked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By products and a softmax if the sequence is short, by PyTorch's own attention if it is long."""
    monkeypatch.setattr(heads, "LONGEST", longest)
    torch.manual_seed(5)
    x_BTD = torch.randn(3, 4, 8, dtype=torch.float64, requires_grad=True)
    mask_BTS = torch.tensor([4, 1, 3])[:, None, None] > torch.arange(4) if masked == "padding" else None
    found: list[list[Tensor]] = []
    for fast in (True, False):
        torch.manual_seed(6)
        layer = MultiHead(8, 8, 8, 2, positions=Rotary(fast=fast), dropout=rate, fast=fast).double()
        place_1T = torch.arange(4)[None]
        y_BTD, _ = layer(
            x_BTD,
            layer.prepare(x_BTD, place_1T),
            mask_BTS,
            place_1T,
            past=masked == "future",
            noise=Noise(1, 2),
            place="here",
        )
        found.append([y_BTD, *torch.autograd.grad((y_BTD * x_BTD.detach()).sum(), [x_BTD, *layer.parameters()])])
    assert all(close(ours, theirs) for ours, theirs in zip(*found, strict=True))


@pytest.mark.parametrize("settings", covering(STEPPED), ids=name)
def test_what_is_too_large_to_keep_is_computed_twice(
    settings: Seq2SeqSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attending, "_MOST_KEPT", 0)
    check(settings, batch(examples()))


def test_what_is_not_kept_has_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block for each step, freed where others are kept, had left holes of a gigabyte for 1,600 tokens."""
    monkeypatch.setattr(attending, "_MOST_KEPT", 100)
    keys_BSA, v_A, query_BQ = torch.randn(2, 5, 4), torch.randn(4), torch.randn(2, 4)
    for num_kept, num_places in ((100, 3), (101, 1)):
        scoring, places = attending.Additive(keys_BSA, v_A, num_kept), []
        for t in range(3):
            scoring.forward(t, query_BQ, None)
            places.append(scoring.hidden[-1] if scoring.keeps else scoring.scratch)
        assert len({place.data_ptr() for place in places if place is not None}) == num_places


@pytest.mark.parametrize("settings", covering([s for s in FEW if not has_twin(s)]), ids=name)
def test_parts_without_a_twin_stay_plain(settings: Seq2SeqSettings) -> None:
    decoder = network(settings).decoder
    assert isinstance(decoder, RnnDecoder)
    assert decode.twin(decoder.wiring, decoder.stack) is None


@pytest.mark.parametrize("piece", [1, 50, 10**6])
@pytest.mark.parametrize("tile", [7, 1024])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("size", [1, 30, 1000], ids=["usual", "some p vanish", "logits of thousands"])
def test_the_loss_in_pieces(
    piece: int, tile: int, smoothing: float, size: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "PIECE", piece)
    monkeypatch.setattr(loss, "_TILE", tile)
    torch.manual_seed(3)
    output = OutputLayer(nn.Parameter(torch.randn(20, 6, dtype=torch.float64))).double()
    nn.init.normal_(output.bias_V)
    features_NE = (size * torch.randn(7, 6, dtype=torch.float64)).requires_grad_()
    target_N = torch.randint(0, 20, (7,))
    inputs = [features_NE, *output.parameters()]
    ours = fast_cross_entropy(features_NE, output, target_N, smoothing)
    theirs = cross_entropy(features_NE, output, target_N, smoothing)
    assert close(ours.total, theirs.total)
    assert close(ours.nll, theirs.nll)
    pairs = zip(torch.autograd.grad(3 * ours.total, inputs), torch.autograd.grad(3 * theirs.total, inputs), strict=True)
    assert all(close(a, b) for a, b in pairs)


def test_a_tape_records_only_where_gradients_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[bool] = []
    for tape in (BeforeTape, LossTape, ReadingTape):
        forward = tape.forward
        monkeypatch.setattr(
            tape, "forward", lambda self, *x, forward=forward: (recorded.append(self.recording), forward(self, *x))[1]
        )
    model, tensors = network(TWINS[0]), batch(examples())
    with torch.no_grad():
        model.loss(*tensors)
    assert recorded == [False] * 3
    model.loss(*tensors)
    assert recorded == [False] * 3 + [True] * 3


@pytest.mark.parametrize("settings", ONE_A_TAPE, ids=name)
@pytest.mark.parametrize("backward", [True, False])
def test_nothing_is_held_when_a_step_is_over(settings: Seq2SeqSettings, backward: bool) -> None:
    """A tensor that a tape gave out must not be held by the tape: such a ring is never freed."""
    gc.collect()
    gc.disable()
    try:
        model = network(settings)
        loss = model.loss(*batch(examples()))
        if backward:
            torch.autograd.grad(loss.total, list(model.parameters()))
        del loss
        tapes = [x for x in gc.get_objects() if type(x) in TAPES]
    finally:
        gc.enable()
    assert not tapes

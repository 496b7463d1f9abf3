"""What holds for every encoder of pictures, under every decoder."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor
from variants import JUNK, NUM_TOKENS, READ, close, covering, name, rates, without_dropout

import regard
from regard import models, tasks
from regard.errors import UserError
from regard.explain.inspection import Piece
from regard.explain.pictured import Pictured
from regard.model import FORMAT, Config, Translator, load, save
from regard.models import Seq2SeqSettings
from regard.models.seq2seq import Seq2Seq
from regard.nn.dropout import Noise
from regard.nn.encoders.pixels import Grid, PixelEncoder, Places
from regard.search import BeamSettings
from regard.tasks.transduce import LengthRule, Transducer, target_ids
from regard.text import tokenisers
from regard.text.batch import Example
from regard.text.pictures import Pictures
from regard.text.tokenisers import CharSettings
from regard.text.tokenisers.base import BOS, EOS

HEIGHT = 8
WIDTHS = (9, 4, 7)


@cache
def network(settings: Seq2SeqSettings) -> Seq2Seq:
    built = models.build_seq2seq(settings, num_source=0, num_target=NUM_TOKENS, joint=False, height=HEIGHT).double()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.copy_(0.6 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return built


def pictures(more: int = 0, only: int | None = None) -> tuple[Tensor, Tensor]:
    """Pictures of three widths, dark beyond."""
    generator = torch.Generator().manual_seed(4)
    pixels_BWH = torch.rand((3, max(WIDTHS), HEIGHT), generator=generator, dtype=torch.float64)
    width_B = torch.tensor(WIDTHS)
    pixels_BWH = pixels_BWH * (torch.arange(max(WIDTHS)) < width_B[:, None])[:, :, None]
    if only is not None:
        return pixels_BWH[only : only + 1, : WIDTHS[only]], width_B[only : only + 1]
    return torch.nn.functional.pad(pixels_BWH, (0, 0, 0, more)), width_B


TARGET_BT = torch.tensor([[BOS, 5, 6, EOS], [BOS, 8, EOS, JUNK], [BOS, 4, 9, EOS]])
LENGTH_B = torch.tensor([3, 2, 3])


@pytest.mark.parametrize("settings", READ, ids=name)
def test_a_picture_does_not_depend_on_what_is_beside_it(settings: Seq2SeqSettings) -> None:
    model = network(settings)
    with torch.no_grad():
        tight, loose = model.encode(*pictures()), model.encode(*pictures(more=5))
        num_places = tight.states_BSM.shape[1]
        assert close(loose.states_BSM[:, :num_places], tight.states_BSM)
        assert not loose.states_BSM[~loose.mask_BS].any()
        assert torch.equal(loose.mask_BS.sum(1), loose.length_B)
        for row in range(3):
            alone = model.encode(*pictures(only=row))
            assert close(alone.states_BSM[0], tight.states_BSM[row, : alone.states_BSM.shape[1]])
            assert close(alone.summary_BM[0], tight.summary_BM[row])


@pytest.mark.parametrize("settings", READ, ids=name)
def test_every_place_has_its_box(settings: Seq2SeqSettings) -> None:
    encoder = network(settings).encoder
    assert isinstance(encoder, PixelEncoder)
    with torch.no_grad():
        memory = encoder(*pictures())
    for width, length in zip(WIDTHS, memory.length_B.tolist(), strict=True):
        boxes = encoder.grid.boxes(width)
        assert len(boxes) == length
        covered = np.zeros((width, HEIGHT))
        for left, top, right, bottom in boxes:
            covered[left:right, top:bottom] += 1
        assert (covered == 1).all()


@pytest.mark.parametrize("settings", READ, ids=name)
def test_every_parameter_gets_a_gradient_and_plain_is_fast(settings: Seq2SeqSettings) -> None:
    fast = network(settings)
    plain = models.build_seq2seq(
        msgspec.structs.replace(settings, fast=False), num_source=0, num_target=NUM_TOKENS, joint=False, height=HEIGHT
    ).double()
    plain.load_state_dict(fast.state_dict())
    found = []
    for model in (fast, plain):
        loss = model.loss(*pictures(), TARGET_BT, LENGTH_B, noise=Noise(1, 2)).total
        found.append((loss, *torch.autograd.grad(loss, list(model.parameters()))))
    for part, one, other in zip(["loss", *dict(fast.named_parameters())], *found, strict=True):
        assert one.isfinite().all(), part
        assert one.any() or not part.startswith("encoder"), part
        assert close(one, other), part


@pytest.mark.parametrize("settings", covering(READ), ids=name)
def test_each_rate_counts(settings: Seq2SeqSettings) -> None:
    def loss(settings: Seq2SeqSettings) -> Tensor:
        with torch.no_grad():
            return network(settings).loss(*pictures(), TARGET_BT, LENGTH_B, noise=Noise(1, 2)).total

    for path, noisy in rates(settings):
        if path.startswith(".encoder"):
            assert not torch.equal(loss(noisy), loss(without_dropout(settings))), path


@pytest.mark.parametrize("settings", covering(READ), ids=name)
def test_search_and_steps_say_what_forcing_says(settings: Seq2SeqSettings) -> None:
    """Each picture by itself and with the others."""
    pieces = tokenisers.train(CharSettings(), [])
    task = Transducer(network(settings), Pictures(HEIGHT, 40), pieces, LengthRule(0.4))
    sources = [np.random.default_rng(n).integers(0, 255, (width, HEIGHT), np.uint8) for n, width in enumerate(WIDTHS)]
    found = task.search(sources, BeamSettings(width=3), num_best=2)
    alone = task.search(sources, BeamSettings(width=3), num_best=2, batch_tokens=1)
    for source, some, others in zip(sources, found, alone, strict=True):
        assert [best.tokens for best in some] == [best.tokens for best in others]
        for best in some:
            (looked,) = task.look([Example(source, target_ids(best.tokens))])
            said = looked.logprobs if best.finished else looked.logprobs[:-1]
            assert best.logprob == pytest.approx(sum(said), abs=1e-9)


@pytest.mark.parametrize("settings", covering(READ), ids=name)
def test_a_loaded_model_reads_the_same(settings: Seq2SeqSettings, tmp_path: Path) -> None:
    from PIL import Image

    paths = []
    for number, width in enumerate(WIDTHS):
        paths.append(str(tmp_path / f"{number}.png"))
        Image.fromarray(np.random.default_rng(number).integers(0, 255, (HEIGHT, width), dtype=np.uint8)).save(paths[-1])
    torch.manual_seed(3)
    pieces = {"source": Pictures(HEIGHT, 40), "target": tokenisers.train(CharSettings(), ["ab"])}
    config = Config(
        format=FORMAT,
        regard=regard.__version__,
        task="transduce",
        model=settings,
        search=BeamSettings(width=2),
        length_ratio=0.2,
        measures=[],
        training={},
    )
    model = Translator(tasks.build(settings, pieces, length_ratio=0.2), config)  # type: ignore[arg-type]
    save(model, tmp_path / "model", "a card")
    loaded = load(tmp_path)
    assert isinstance(loaded, Translator) and loaded.reads_pictures
    assert loaded.translate(paths) == model.translate(paths)
    assert np.array_equal(loaded.embed(paths), model.embed(paths))
    if model.task.network.decoder.attends:
        seen = loaded.inspect(paths[0], "ab")
        assert seen.weights_TS.shape == (3, len(seen.boxes))
        assert np.allclose(seen.over_pixels().max((1, 2)), seen.weights_TS.max(1))


def test_an_encoder_of_pictures_wants_pictures() -> None:
    with pytest.raises(UserError, match=r"text\.source\.kind=image"):
        models.build_seq2seq(READ[0], num_source=NUM_TOKENS, num_target=NUM_TOKENS, joint=False)
    with pytest.raises(UserError, match="choose patches or conv"):
        models.build_seq2seq(Seq2SeqSettings(), num_source=0, num_target=NUM_TOKENS, joint=False, height=HEIGHT)


def test_a_box_that_the_edge_cuts_is_not_looked_at_more_closely() -> None:
    """Where every box has the same weight, all pixels are as dark."""
    pixels_HW = np.zeros((4, 9), dtype=np.uint8)
    boxes = Grid(4, 4, 1).boxes(9)
    end = Piece("⟨end⟩", 0, 0)
    found = Pictured("a.png", pixels_HW, boxes, "", (end,), np.full((1, 1, 1, 3), 1 / 3, dtype=np.float32), (0.0,))
    assert np.allclose(found.over_pixels(), found.over_pixels().max())


def test_a_photograph_is_read_upright(tmp_path: Path) -> None:
    from PIL import Image

    upright = Image.fromarray(np.arange(0, 240, dtype=np.uint8).reshape(8, 30))
    exif = Image.Exif()
    exif[0x0112] = 6  # held on its side: to be turned by a quarter, clockwise
    upright.save(tmp_path / "upright.png")
    upright.transpose(Image.Transpose.ROTATE_90).save(tmp_path / "turned.png", exif=exif)
    one, other = (Pictures(8, 40).read_one(str(tmp_path / name)) for name in ("upright.png", "turned.png"))
    assert (one == other).all()


def test_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(UserError, match=r"text\.png: is not a picture"):
        Pictures(8, 40).read_one(str(tmp_path / "text.png"))
    with pytest.raises(UserError, match=r"none\.png: cannot be read"):
        Pictures(8, 40).read_one(str(tmp_path / "none.png"))
    from PIL import Image

    Image.fromarray(np.array([[np.nan, 1.0], [2.0, 3.0]], dtype=np.float32)).save(tmp_path / "nan.tiff")
    with pytest.raises(UserError, match=r"nan\.tiff: cannot be read: has pixels that are not numbers"):
        Pictures(8, 40).read_one(str(tmp_path / "nan.tiff"))
    Image.new("L", (100, 8)).save(tmp_path / "wide.png")
    with pytest.raises(UserError, match=r"wide\.png: is 100 pixels wide"):
        Pictures(8, 40).read_one(str(tmp_path / "wide.png"))


@pytest.mark.parametrize("settings", READ, ids=name)
def test_light_and_contrast_do_not_matter(settings: Seq2SeqSettings) -> None:
    model = network(settings)
    pixels_BWH, width_B = pictures()
    with torch.no_grad():
        states_BSM = model.encode(pixels_BWH, width_B).states_BSM
        assert close(model.encode(0.5 + 0.4 * pixels_BWH, width_B).states_BSM, states_BSM)
        blank_BSM = model.encode(torch.ones_like(pixels_BWH), width_B).states_BSM
    assert blank_BSM.isfinite().all() and not close(blank_BSM, states_BSM)
    learnt = model.loss(torch.zeros_like(pixels_BWH), width_B, TARGET_BT, LENGTH_B).total
    for gradient in torch.autograd.grad(learnt, list(model.parameters()), allow_unused=True):
        assert gradient is None or gradient.isfinite().all()


def test_patches_see_how_far_across_another_stands() -> None:
    """The product of a turned query and a turned key depends on the columns between them, and on no row."""
    places = Places(Grid(4, 4, rows=2))
    query_1HTK, key_1HTK = (torch.randn(1, 3, 1, 6, dtype=torch.float64).expand(-1, -1, 10, -1) for _ in range(2))
    position_1T = torch.arange(10)[None]
    products_TT = (places.rotate(query_1HTK, position_1T) @ places.rotate(key_1HTK, position_1T).mT)[0, 0]
    column_T = position_1T[0] // 2
    between_TT = column_T[:, None] - column_T
    by_distance = [products_TT[between_TT == distance] for distance in range(-4, 5)]
    assert all(close(some, some[:1].expand_as(some)) for some in by_distance)
    assert len({round(some[0].item(), 9) for some in by_distance}) == 9

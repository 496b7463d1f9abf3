"""`digits` and `signs`: pictures of strings of digits, or of short words, and what they say.

Fonts are those that come with matplotlib. Size, place, slope, ink, paper and noise vary; the same seed draws the same.
"""

from __future__ import annotations

import random
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from regard import files
from regard.text.make.draw import generator

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

LENGTH = (1, 6)
HEIGHT = 32
FONTS = (
    "DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSansMono", "DejaVuSansMono-Bold", "DejaVuSerif",
    "DejaVuSerif-Bold", "DejaVuSerif-Italic", "STIXGeneral", "STIXGeneralBol", "cmr10", "cmss10", "cmtt10", "cmb10",
)  # fmt: skip
# every letter, and words that differ in one
_TEXT = """
open stop exit push pull bank bark park dark mark café hotel taxi metro bus boat coat goat road toad left
right up down in out hot cold warm cool wet dry day night sun moon star rain snow wind fog ice fire tea milk
juice water wine bread jam egg rice fish zoo quay box fox six mix jazz quiz vex lynx yak gym pub lab map key
lock door gate wall hall mall ball bell well sell tell yes no now new old big small fast slow high low near
far keep quiet zone zebra
"""
WORDS = _TEXT.split()
_DEALT = ["valid", "test", *["train"] * 8]
SIZES = {"digits": 12_000, "signs": 12_000}


def make(name: str, place: Path, *, size: int, seed: int, length: tuple[int, int]) -> dict[str, int]:
    """Write the pictures and the tables that name them: path, tab, what it says."""
    tenth = max(1, size // 10)
    sizes = {"train": size, "valid": min(500, tenth), "test": min(1000, tenth)}
    for split, count in sizes.items():
        rng = generator(seed, name, split)
        (place / split).mkdir(parents=True)
        lines = []
        for number in range(count):
            text = rng.choice(WORDS) if name == "signs" else _digits(split, rng, length)
            path = f"{split}/{number:05d}.png"
            picture(text, rng).save(place / path, optimize=False)
            lines.append(f"{path}\t{text}\n")
        files.write(place / f"{split}.tsv", "".join(lines))
    return sizes


def _digits(split: str, rng: random.Random, length: tuple[int, int]) -> str:
    """Strings of four digits or more are dealt out: each can be in one split only. There are too few shorter ones."""
    num_digits = rng.randint(*length)
    while True:
        text = "".join(rng.choices("0123456789", k=num_digits))
        if num_digits < 4 or _DEALT[zlib.crc32(text.encode()) % len(_DEALT)] == split:
            return text


def picture(text: str, rng: random.Random) -> Image:
    """The text somewhere on a piece of paper."""
    from PIL import Image, ImageDraw

    font = _font(rng.choice(FONTS), rng.randint(15, 23))
    left, top, right, bottom = font.getbbox(text)
    width, height = right - left, bottom - top
    before, after = rng.randint(2, 24), rng.randint(2, 24)
    paper = Image.new("L", (int(before + width + after), HEIGHT), 0)
    down = rng.uniform(1, max(1, HEIGHT - height - 1))
    ImageDraw.Draw(paper).text((before - left, down - top), text, fill=255, font=font)
    paper = paper.rotate(rng.uniform(-3, 3), Image.Resampling.BILINEAR)
    ink, ground = rng.uniform(140, 255), rng.uniform(0, 60)
    noise = np.random.default_rng(rng.getrandbits(32)).normal(0, rng.uniform(0, 20), (HEIGHT, paper.width))
    pixels = ground + (ink - ground) * np.asarray(paper, dtype=np.float64) / 255 + noise
    pixels = pixels if rng.random() < 0.3 else 255 - pixels  # dark on light more often than light on dark
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


@cache
def _font(name: str, size: int) -> FreeTypeFont:
    from matplotlib import get_data_path
    from PIL import ImageFont

    return ImageFont.truetype(str(Path(get_data_path()) / "fonts" / "ttf" / f"{name}.ttf"), size)

"""Pictures in the place of a source text: each is given by the path of its file, and becomes a sequence of columns.

A picture is read in grey, scaled to one height, and turned so that its background is 0: what is added to its right to
fill a batch then looks like more background.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.errors import TextError, UserError
from regard.text.readers import files_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    Pixels = NDArray[np.uint8]  # columns first: [W, H], from left to right


class Pictures:
    """Reads pictures; what a tokeniser is for texts."""

    kind = "image"

    def __init__(self, height: int, max_width: int) -> None:
        self.height, self.max_width = height, max_width

    def read(self, paths: Sequence[str]) -> list[Pixels]:
        pictures = []
        for number, path in enumerate(paths):
            try:
                pictures.append(self.read_one(path))
            except UserError as error:
                raise TextError(number, str(error)) from None
        return pictures

    def read_one(self, path: str) -> Pixels:
        import numpy as np
        from PIL import Image, UnidentifiedImageError

        try:
            with _quiet(), Image.open(path) as image:
                grey = _grey(image)
        except UnidentifiedImageError:
            raise UserError(f"{path}: is not a picture that can be read") from None
        except Exception as error:  # the library raises whatever its readers stumble over
            raise UserError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
        width = max(1, round(grey.width * self.height / grey.height))
        if width > self.max_width:
            raise UserError(
                f"{path}: is {width} pixels wide at a height of {self.height}, and at most {self.max_width} are read; "
                "cut it, or train with a larger text.source.max_width"
            )
        pixels_HW = np.asarray(grey.resize((width, self.height), Image.Resampling.BILINEAR))
        # most pixels are background: if those are light, light is turned into 0
        light = float(np.median(pixels_HW)) >= 128
        return np.ascontiguousarray((255 - pixels_HW if light else pixels_HW).T)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "pieces": [], "height": self.height, "max_width": self.max_width}


@contextmanager
def _quiet() -> Iterator[None]:
    """Pillow warns and logs what is odd about a file: either it can be read or there is an error that says so."""
    log = logging.getLogger("PIL")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def _grey(image: Image) -> Image:
    """8 bits of grey, upright as the camera was held; what is transparent is white paper."""
    import numpy as np
    from PIL import Image, ImageOps

    image = ImageOps.exif_transpose(image)
    if image.mode.startswith(("I", "F")):  # 16 bits or more, from dark to light
        values = np.asarray(image, dtype=np.float64)
        if not np.isfinite(values).all():
            raise ValueError("has pixels that are not numbers")
        low, high = values.min(), values.max()
        return Image.fromarray(((values - low) * (255 / max(high - low, 1e-9))).astype(np.uint8))
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        paper = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(paper, layer).convert("L")
    return image.convert("L")


def looks_like_one(source: str) -> bool:
    """Whether a source is the name of a picture rather than a text."""
    return Path(source).suffix.lower() in (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")


def beside(spec: str, source: str) -> str:
    """The path of a picture that a table names: from the table's own directory, unless it is absolute."""
    return str(Path(files_of(spec)[0]).absolute().parent / source)

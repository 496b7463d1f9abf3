"""Sequence-to-sequence learning with attention: pairs in; a model, its score and its attention maps out.

model = regard.train("pairs.tsv", out="runs/mine", minutes=5)
model = regard.load("runs/mine")
model.translate(["il m'a entarté"], beam=5)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["__version__", "load", "resume", "train"]

if TYPE_CHECKING:
    from regard.model import load
    from regard.run.conduct import resume, train


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used: `import regard` alone does not import torch."""
    if name == "load":
        from regard.model import load

        return load
    if name in ("resume", "train"):
        from regard.run import conduct

        return getattr(conduct, name)
    raise AttributeError(f"module 'regard' has no attribute {name!r}")

"""A model: what `regard.load` gives, and how it is kept in a directory."""

from __future__ import annotations

from regard.model.base import Config, Model
from regard.model.classifier import Classifier
from regard.model.directory import FORMAT, find, find_device, load, of, save
from regard.model.translator import Translation, Translator
from regard.model.writer import LanguageModel

__all__ = [
    "FORMAT",
    "Classifier",
    "Config",
    "LanguageModel",
    "Model",
    "Translation",
    "Translator",
    "find",
    "find_device",
    "load",
    "of",
    "save",
]

"""What is done with a network: batch → loss, texts → predictions, and which measures say how good they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.models import ClassifierSettings, LanguageModelSettings, ModelSettings, Seq2SeqSettings
from regard.text.pictures import Pictures
from regard.text.tokenisers import Reader
from regard.text.tokenisers.base import Tokeniser

if TYPE_CHECKING:
    from regard.tasks.classify import Labeller
    from regard.tasks.language import Writer
    from regard.tasks.transduce import Transducer


def build(
    settings: ModelSettings, tokenisers: dict[str, Reader], *, length_ratio: float = 1.0
) -> Transducer | Labeller | Writer:
    """The task with a new network, or a UserError if its parts do not fit together."""
    from regard import models

    target, source = tokenisers["target"], tokenisers.get("source")
    assert isinstance(target, Tokeniser)
    match settings:
        case Seq2SeqSettings():
            from regard.tasks.transduce import LengthRule, Transducer

            assert source is not None
            network = models.build_seq2seq(
                settings,
                num_source=0 if isinstance(source, Pictures) else source.size,
                num_target=target.size,
                joint=source is target,
                height=source.height if isinstance(source, Pictures) else None,
            )
            return Transducer(network, source, target, LengthRule(length_ratio))
        case ClassifierSettings():
            from regard.tasks.classify import Labeller
            from regard.text.tokenisers.label import LabelTokeniser

            assert isinstance(target, LabelTokeniser) and isinstance(source, Tokeniser)
            classifier = models.build_classifier(settings, num_tokens=source.size, num_classes=len(target.labels))
            return Labeller(classifier, source, target)
        case LanguageModelSettings():
            from regard.tasks.language import Writer

            language_model = models.build_language_model(settings, num_tokens=target.size)
            return Writer(language_model, target, settings.context, settings.unit == "text")

"""Facts about the texts of all rows, in a form that can be sent to other processes and machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from neraca.metrics.text.corpus import Corpus, Frequencies
from neraca.metrics.text.grounding import Contexts
from neraca.scores.scoring import Prepared


@dataclass(frozen=True)
class KnownTexts:
    """The same as `Prepared`, as JSON can carry it.

    Attributes
    ----------
    language
        Code of the language of rows that do not say theirs; "": unknown.
    references
        (tokens, language, frequencies): in how many references each word stands, read in this way.
    contexts
        (language, frequencies): the same of contexts.
    """

    language: str = ""
    references: tuple[tuple[str, str, Frequencies], ...] = ()
    contexts: tuple[tuple[str, Frequencies], ...] = ()

    @classmethod
    def of(cls, prepared: Prepared) -> Self:
        """Pack the result of `prepare`."""
        shared: Mapping[type, Mapping[Any, Any]] = prepared.shared
        return cls(
            prepared.language,
            tuple((*key, frequencies) for key, frequencies in shared.get(Corpus, {}).items()),
            tuple(shared.get(Contexts, {}).items()),
        )

    @property
    def prepared(self) -> Prepared:
        """The same, for scoring."""
        references = {(tokens, language): frequencies for tokens, language, frequencies in self.references}
        return Prepared(self.language, None, {Corpus: references, Contexts: dict(self.contexts)})

"""Say how the questions and the target of an earlier run differ from those that it shall go on with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, Protocol

from neraca.datasets.dataset import Dataset, sent_fields
from neraca.records import Item
from neraca.runs.hidden_secrets import hide_secrets
from neraca.translation import say


class Configuration(Protocol):
    """The part of a manifest that says which questions a target was asked."""

    @property
    def fingerprint(self) -> str:
        """The hash of the questions."""

    @property
    def items(self) -> int:
        """The number of questions."""

    @property
    def dataset(self) -> str:
        """The name of the file of questions."""

    @property
    def target(self) -> Mapping[str, Any]:
        """The settings of the target."""


def configuration_changes(old: Configuration, items: Sequence[Item], new: Configuration, dataset: Dataset) -> list[str]:
    """Say in which settings and questions a run differs from a new one; [] if it can go on.

    `items` are the questions of the old run, `dataset` those of the new one.
    """
    differences = []
    # Columns named as parts of answers are in no fingerprint, but a target may have been sent them.
    if old.fingerprint != new.fingerprint or dataset.holds_answers:
        pairs = zip_longest(items, dataset.items)
        first = next((a or b for a, b in pairs if a is None or b is None or sent_fields(a) != sent_fields(b)), None)
        if first is not None:
            earlier = say("{n} of {dataset} then", n=old.items, dataset=old.dataset)
            counts = f"{earlier}, {say('{n} of {dataset} now', n=new.items, dataset=new.dataset)}"
            differences.append(say("the questions differ ({counts}; first at item {id})", counts=counts, id=first.id))
    before, after = _flat(hide_secrets(old.target)), _flat(new.target)  # an older version hid less
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            values = {"before": before.get(key, say("not set")), "after": after.get(key, say("not set"))}
            differences.append(say("target.{key} was {before!r}, is {after!r}", key=key, **values))
    return differences


def _flat(settings: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested settings as one mapping, whose keys are joined by dots."""
    if not isinstance(settings, Mapping):
        return {prefix: settings}
    return {
        name: v for key, value in settings.items() for name, v in _flat(value, f"{prefix}.{key}".lstrip(".")).items()
    }

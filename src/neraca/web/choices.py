"""A filter of a list whose values are known, as a reader chooses one; a link may ask for a value that is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Option(NamedTuple):
    """One value of a filter: how it stands in the link, what a reader sees, and how many have it, if that is known."""

    value: str
    label: str
    n: int | None = None


@dataclass(frozen=True)
class Choice:
    """A filter, and what is chosen of it.

    Attributes
    ----------
    name
        In the link.
    label
        What a reader sees.
    options
        The values that there are.
    chosen
        The value that the link asks for; "" is any.
    gone
        What is said where there is no such value, which stands for `{}`.
    everything
        What a reader sees where any value will do.
    """

    name: str
    label: str
    options: Sequence[Option]
    chosen: str
    gone: str
    everything: str = "all"

    @property
    def note(self) -> str:
        """What is said of the value that is chosen, where there is no such value."""
        known = not self.chosen or any(option.value == self.chosen for option in self.options)
        return "" if known else self.gone.replace("{}", self.chosen)

    @property
    def shown(self) -> Sequence[Option]:
        """The options but for those that nothing has; the one that is chosen is among them, whatever it is."""
        some = [option for option in self.options if option.n != 0 or option.value == self.chosen]
        return [*some, Option(self.chosen, self.chosen)] if self.note else some

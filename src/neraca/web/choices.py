"""A filter with a list of options, of which a link chooses one; the chosen option may no longer exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Option(NamedTuple):
    """One option of a filter: its value in the link, its label for readers, and its number of entries if known."""

    value: str
    label: str
    n: int | None = None


@dataclass(frozen=True)
class Choice:
    """A filter and its chosen option.

    Attributes
    ----------
    name
        The name of the filter in the link.
    label
        The name of the filter for readers.
    options
        The options that exist.
    chosen
        The value that the link asks for; "": any.
    gone
        The message if the chosen value does not exist; `{}` stands for the value.
    everything
        The label of the option that lets any value pass.
    """

    name: str
    label: str
    options: Sequence[Option]
    chosen: str
    gone: str
    everything: str = "all"

    @property
    def note(self) -> str:
        """The message that the chosen value does not exist; "" if it exists."""
        exists = not self.chosen or any(option.value == self.chosen for option in self.options)
        return "" if exists else self.gone.replace("{}", self.chosen)

    @property
    def shown(self) -> Sequence[Option]:
        """The options without those that no entry has; the chosen option is always among them."""
        options = [option for option in self.options if option.n != 0 or option.value == self.chosen]
        return [*options, Option(self.chosen, self.chosen)] if self.note else options

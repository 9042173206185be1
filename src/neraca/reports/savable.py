"""Reports that write themselves to a file."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path


class Savable:
    """A report with a method that writes it."""

    def save(self, path: Path | str) -> list[str]:
        """Write the report in the format that the suffix of the path names, as `write_report` does.

        Return a message for each part that was left out.
        """
        messages: list[str] = import_module("neraca.reports.formats.write").write_report(
            path, self
        )  # knows all reports
        return messages

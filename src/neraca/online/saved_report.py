"""Results of online experiments that write themselves as a report."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import ClassVar


class SavedReport:
    """A result with a method that writes its report."""

    __slots__ = ()

    #: The file of `reports/online/` and its function that makes the document.
    report: ClassVar[str]

    def save(self, path: Path | str, *, language: str = "en") -> list[str]:
        """Write the report in the format that the suffix of the path names, as `write_report` does.

        Parameters
        ----------
        path
            The file to write, such as `report.html`.
        language
            The language of the report: `en`, `id` or `es`.

        Returns
        -------
        list[str]
            A message for each part that was left out.
        """
        module, function = self.report.split(":")
        reports = import_module(f"neraca.reports.online.{module}")  # reports stand above
        messages: list[str] = getattr(reports, function)(self, language).save(path)
        return messages

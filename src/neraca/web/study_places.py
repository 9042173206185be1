"""The places of runs in studies: study, phase and number in the phase, from the records of the studies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from neraca.runs.study_record import FILE, PhaseRecord, StudyRecord


class StudyPlace(NamedTuple):
    """The place of a run: the folder of its study, the study, the phase, and the numbers of phase and run."""

    folder: str
    study: StudyRecord
    phase: PhaseRecord
    phase_number: int
    run_number: int


@dataclass
class StudyPlaces:
    """The studies below a folder.

    Attributes
    ----------
    root
        The folder.
    studies
        Folder of results, relative to the root → its record.
    """

    root: Path
    studies: dict[str, StudyRecord] = field(default_factory=dict)
    _stamps: dict[str, tuple[int, int]] = field(default_factory=dict)
    _places: dict[str, StudyPlace] = field(default_factory=dict)

    def of(self, path: str) -> StudyPlace | None:
        """Return the place of a run; None if it belongs to no study."""
        return self._places.get(path)

    def read(self, folders: Iterable[Path]) -> None:
        """Read the records of these folders that have changed, and forget other folders."""
        studies, stamps = {}, {}
        for folder in folders:
            name = "" if folder == self.root else folder.relative_to(self.root).as_posix()
            try:
                status = (folder / FILE).lstat()
            except OSError:
                continue
            stamp = (status.st_mtime_ns, status.st_size)
            known = self.studies.get(name) if self._stamps.get(name) == stamp else None
            record = known or (StudyRecord.read(folder) if S_ISREG(status.st_mode) else None)
            if record is not None:
                studies[name], stamps[name] = record, stamp
        if (studies, stamps) != (self.studies, self._stamps):
            self.studies, self._stamps = studies, stamps
            self._places = dict(self._all_places())

    def _all_places(self) -> Iterable[tuple[str, StudyPlace]]:
        for folder, study in self.studies.items():
            for phase_number, phase in enumerate(study.parts):
                for run_number, run in enumerate(phase.runs):
                    path = "/".join(filter(None, (folder, phase.name, run)))
                    yield path, StudyPlace(folder, study, phase, phase_number, run_number)

"""The record that a study leaves in its folder of results: its phases, their primary metrics and what was chosen."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from neraca.files import write_atomic

#: The name of the file in the folder of results.
FILE = "study.json"
VERSION = 1


class PhaseRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One phase.

    Attributes
    ----------
    name
        The name, which is also that of its folder; "": the folder of the study.
    title
        The name for readers, if it is another one.
    runs
        The names of the targets, in the order of the study.
    metrics, primary
        Canonical names of the metrics that were scored, and of the primary one.
    chosen, note
        The target that was chosen, and a remark on the choice; "" without one.
    files
        The reports of this phase, relative to the folder of the study, with `/`.
    """

    name: str
    title: str = ""
    runs: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    primary: str = ""
    chosen: str = ""
    note: str = ""
    files: tuple[str, ...] = ()


class StudyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A study: its name, its phases in order, the reports of the whole study, and its user study if there is one."""

    v: int = VERSION
    name: str = ""
    phases: tuple[PhaseRecord, ...] = ()
    files: tuple[str, ...] = ()
    users: PhaseRecord | None = None

    @property
    def parts(self) -> tuple[PhaseRecord, ...]:
        """The phases, and the user study as the last one."""
        return (*self.phases, *([self.users] if self.users else []))

    def with_files(self, folder: Path, files: Iterable[Path]) -> StudyRecord:
        """Return the record with these reports of the whole study in `folder`."""
        return msgspec.structs.replace(self, files=tuple(file.relative_to(folder).as_posix() for file in files))

    def write(self, folder: Path) -> None:
        """Write the record into the folder of results; keep what the record before has of later parts of this study."""
        before = StudyRecord.read(folder)
        same = before if before and before.name == self.name else self
        record = msgspec.structs.replace(
            self,
            phases=(*self.phases, *same.phases[len(self.phases) :]),
            files=self.files or same.files,
            users=self.users or same.users,
        )
        write_atomic(folder / FILE, msgspec.json.format(msgspec.json.encode(record)))

    @classmethod
    def read(cls, folder: Path) -> StudyRecord | None:
        """Read the record of a folder; None if it has none that this version can read."""
        try:
            record = msgspec.json.decode((folder / FILE).read_bytes(), type=cls)
        except (OSError, msgspec.DecodeError):
            return None
        return record if record.v <= VERSION else None

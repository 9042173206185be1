"""The record that a study leaves in its folder of results: its phases, their primary metrics and what was chosen."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from neraca.files import write_atomic

#: The name of the file in the folder of results.
FILE = "study.json"
VERSION = 1
#: The files of a run on which its values rest; they only grow.
_JOURNALS = ("answers.jsonl", "verdicts.jsonl")


class RunTotal(msgspec.Struct, frozen=True, array_like=True):
    """The value of one metric of a run, with its interval; None where there is none."""

    value: float | None
    low: float | None
    high: float | None
    n: int


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
    chosen_before
        The target that was chosen before this one, on other answers or verdicts; "" if the choice never changed.
    files
        The reports of this phase, relative to the folder of the study, with `/`.
    totals
        Name of a target → canonical name of a metric → the value in these reports, scored together with the others.
    journals
        Name of a target → bytes of its answers and verdicts when they were scored.
    """

    name: str
    title: str = ""
    runs: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    primary: str = ""
    chosen: str = ""
    chosen_before: str = ""
    note: str = ""
    files: tuple[str, ...] = ()
    totals: dict[str, dict[str, RunTotal]] = {}
    journals: dict[str, int] = {}

    def has_changed(self, folder: Path, run: str) -> bool:
        """Return whether a run of this phase has more or fewer answers or verdicts than when it was scored."""
        return run in self.journals and journal_bytes(folder / self.name / run) != self.journals[run]


class StudyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A study: its name, its phases in order, the reports of the whole study, and its user study if there is one.

    `language` is the code of the language of its reports; "" in a record of an earlier version.
    """

    v: int = VERSION
    name: str = ""
    language: str = ""
    phases: tuple[PhaseRecord, ...] = ()
    files: tuple[str, ...] = ()
    users: PhaseRecord | None = None

    @property
    def parts(self) -> tuple[PhaseRecord, ...]:
        """The phases, and the user study as the last one."""
        return (*self.phases, *([self.users] if self.users else []))

    def chosen_before(self, phase: str, winner: str) -> str:
        """Return the target that this phase chose before `winner`; "" if it chose no other one."""
        record = next((record for record in self.phases if record.name == phase), PhaseRecord(name=phase))
        return record.chosen_before if record.chosen == winner else record.chosen

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


def common_phase(runs: Iterable[Path]) -> tuple[StudyRecord, PhaseRecord] | None:
    """Return the study and the phase that all these run folders belong to, the last such phase; None if there is none.

    A run stands in the folder of its study or, if its phase has a name, in the folder of the phase.
    """
    common: list[tuple[Path, int]] | None = None
    studies: dict[Path, StudyRecord | None] = {}
    for run in {path.resolve() for path in runs}:
        places = []
        for folder in run.parents[:2]:
            study = studies.setdefault(folder, StudyRecord.read(folder))
            for number, phase in enumerate(study.parts if study else ()):
                if any(folder / phase.name / name == run for name in phase.runs):
                    places.append((folder, number))
        common = places if common is None else [place for place in common if place in places]
    if not common:
        return None
    folder, number = common[-1]
    study = studies[folder]
    return (study, study.parts[number]) if study else None


def common_language(runs: Iterable[Path]) -> str:
    """Return the language of the reports of the studies that these run folders belong to.

    Return "" if they belong to none, or to studies in different languages.
    """
    languages: set[str] = set()
    for run in {path.resolve() for path in runs}:
        records = (StudyRecord.read(folder) for folder in run.parents[:2])
        study = next((study for study in records if study and _has_run(study, run)), None)
        languages.add(study.language if study else "")
    return languages.pop() if len(languages) == 1 else ""


def _has_run(study: StudyRecord, run: Path) -> bool:
    return any(run.name in phase.runs and phase.name in ("", run.parent.name) for phase in study.parts)


def journal_bytes(run: Path) -> int:
    """Return the size of the answers and verdicts of a run; 0 for missing files."""
    return sum(file.stat().st_size for file in (run / name for name in _JOURNALS) if file.is_file())

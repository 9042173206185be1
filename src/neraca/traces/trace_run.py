"""Write the turns of traces as a run: all at once, or trace by trace into a run that grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from neraca.datasets.dataset import Dataset
from neraca.errors import RunError
from neraca.files import Lock
from neraca.journal import Journal
from neraca.records import FROM_TRACE, Answer, Item
from neraca.runs.run import MANIFEST, Run
from neraca.traces.privacy import Privacy, write_salt

Pair = tuple[Item, Answer]


def run_settings(retrievers: Sequence[str], privacy: Privacy) -> dict[str, Any]:
    """Return the settings that a run of traces has in place of a target's."""
    redacted = privacy.redact is not None
    return {"kind": "traces", "retrievers": list(retrievers), "masks": privacy.masks, "redacted": redacted}


def write_run(dataset: Dataset, answers: Sequence[Answer], run: Run, privacy: Privacy, *, is_new: bool) -> Run:
    """Write the answers of a run for these questions; answers that are there already are not written again."""
    if is_new:
        write_salt(run.path, privacy.salt)
    with run.writing():
        if tuple(run.items) != dataset.items:
            run.extend(dataset)
        earlier = run.answers()
        run.answers_journal.append(*(each for each in answers if earlier.get((each.item, 0)) != each))
        run.record_end()
    return run


def add_traces(
    folder: Path, settings: Mapping[str, Any], source: str, new: Mapping[str, Sequence[Pair]], privacy: Privacy
) -> Run | None:
    """Write the turns of traces into a run, which is made if it is not there; return it.

    Parameters
    ----------
    folder
        The run folder.
    settings
        See `run_settings`.
    source
        Where the traces come from, in words.
    new
        Id of a trace → all its turns; they replace those that the run has of the same trace.
    privacy
        Holds the salt of the run.

    Returns
    -------
    Run | None
        The run, with all questions by time; None if it was not there and there is no turn.

    Raises
    ------
    RunError
        If the run was made with other settings, or somebody else is writing to it.
    """
    is_new = not (folder / MANIFEST).is_file()
    pairs = [pair for each in new.values() for pair in each]
    if is_new and not pairs:
        return None
    earlier = () if is_new else tuple(Run(folder).items)
    items = [item for item in earlier if trace_of(item) not in new]
    gone = {item.id for item in earlier} - {item.id for item in items} - {item.id for item, _ in pairs}
    items = sorted([*items, *(item for item, _ in pairs)], key=place_in_time)
    check_settings(folder, settings)
    run = Run.create(folder, Dataset(tuple(items), source), settings) if is_new else Run(folder)
    if gone:  # a trace that was one turn is several now that it is whole, or the other way round
        with Lock(folder):
            run.answers_journal.rewrite([answer for answer in run.answers_journal if answer.item not in gone])
    answers = [answer for _, answer in sorted(pairs, key=lambda pair: place_in_time(pair[0]))]
    return write_run(Dataset(tuple(items), source), answers, run, privacy, is_new=is_new)


#: Advice if a run was made with other settings.
REMEDY = "Choose another folder, or the same options as before"


def trace_of(item: Item) -> str:
    """Return the id of the trace that a question comes from; "" if it comes from none."""
    recorded = item.extra.get(FROM_TRACE)
    return str(recorded.get("trace", "")) if isinstance(recorded, Mapping) else ""


def place_in_time(item: Item) -> tuple[int, str]:
    """Return the key by which the questions of a run are in order of time."""
    recorded = item.extra.get(FROM_TRACE)
    start = recorded.get("start", 0) if isinstance(recorded, Mapping) else 0
    return int(start), item.id


def check_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Raise `RunError` if a folder holds a run that was made with other settings."""
    if not (folder / MANIFEST).is_file():
        return
    earlier = Run(folder).manifest.target
    if earlier != settings:
        differences = [
            f"{name} was {earlier.get(name, 'not set')!r}, is {settings.get(name, 'not set')!r}"
            for name in sorted({*earlier, *settings})
            if earlier.get(name) != settings.get(name)
        ]
        raise RunError(f"{folder} was made with other settings: {'; '.join(differences)}. {REMEDY}")


def mend_run(folder: Path) -> None:
    """Let the manifest of a run count the questions that are there, if a kill came between them and the manifest."""
    if not (folder / MANIFEST).is_file():
        return
    run = Run(folder)
    if run.manifest.items != len(run.item_ids):
        items = tuple(Journal(folder / "items.jsonl", Item))
        with Lock(folder):
            run.update(items=len(items), fingerprint=Dataset(items).fingerprint, ended="")

"""Facts about the questions of some runs as a file, which loads in a fraction of the time that scoring takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from zipfile import BadZipFile

import msgspec
import numpy as np

from neraca.files import replacing
from neraca.web.measures import Measures
from neraca.web.question_facts import QuestionFacts, Total, question_facts

#: A total as JSON, in which null stands for NaN.
_Stored = tuple[float | None, float | None, float | None, int]


#: The errors of a file that is missing or not whole.
UNREADABLE = (OSError, ValueError, KeyError, EOFError, BadZipFile, msgspec.MsgspecError)


class _Header(msgspec.Struct):
    """The texts and totals of facts; the arrays are beside it, in the order of these names."""

    metric: str
    runs: tuple[str, ...]
    columns: list[str]
    totals: dict[str, list[_Stored]]
    reasons: tuple[str, ...]
    whys: list[str]
    outcomes: list[str]
    verdicts: list[str]
    level: float
    limits: dict[str, tuple[float, float]]


def write_facts(file: Path, folders: Sequence[Path], measures: Measures) -> Path:
    """Score runs together, write the facts about their questions, and return the path of the file."""
    facts = question_facts(folders, measures)
    header = _Header(
        metric=facts.metric,
        runs=facts.runs,
        columns=list(facts.columns),
        totals={name: [_stored(total) for total in totals] for name, totals in facts.totals.items()},
        reasons=facts.reasons,
        whys=list(facts.whys),
        outcomes=list(facts.outcomes),
        verdicts=list(facts.verdicts),
        level=facts.level,
        limits=dict(facts.limits),
    )
    n = facts.states.shape[1]
    with replacing(file) as temporary, temporary.open("wb") as opened:
        np.savez(
            opened,
            header=np.frombuffer(msgspec.json.encode(header), np.uint8),  # JSON has no NaN: msgspec writes null
            columns=np.array(list(facts.columns.values())),
            states=facts.states,
            whys=np.array(list(facts.whys.values()), dtype=np.int32),
            outcomes=np.array(list(facts.outcomes.values()), dtype=bool).reshape(-1, n),
            verdicts=np.array(list(facts.verdicts.values()), dtype=bool).reshape(-1, n),
        )
    return file


def read_facts(file: Path) -> QuestionFacts:
    """Read facts that `write_facts` wrote; raise an error of `UNREADABLE` if the file is not whole."""
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
        header = msgspec.json.decode(arrays["header"].tobytes(), type=_Header)
        return QuestionFacts(
            metric=header.metric,
            runs=header.runs,
            columns=dict(zip(header.columns, arrays["columns"], strict=True)),
            totals={name: tuple(map(_total, totals)) for name, totals in header.totals.items()},
            states=arrays["states"],
            reasons=header.reasons,
            whys=dict(zip(header.whys, arrays["whys"], strict=True)),
            outcomes=dict(zip(header.outcomes, arrays["outcomes"], strict=True)),
            verdicts=dict(zip(header.verdicts, arrays["verdicts"], strict=True)),
            level=header.level,
            limits=header.limits,
        )


def _stored(total: Total) -> _Stored:
    return total.value, total.low, total.high, total.n


def _total(stored: _Stored) -> Total:
    value, low, high = (np.nan if number is None else number for number in stored[:3])
    return Total(value, low, high, stored[3])

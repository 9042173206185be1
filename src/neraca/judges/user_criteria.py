"""The criterion of the user that a run keeps of a judge: its words, and the scale of its grades."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from neraca.errors import InputError
from neraca.runs.run import Run
from neraca.translation import say

#: The aspect that people usually rate.
QUALITY = "quality"
#: The ends of the scale of `quality` that no run states, because people usually rate on it.
_USUAL_QUALITY = (0, 5)


@runtime_checkable
class Grading(Protocol):
    """A judge that grades answers on a scale of the user.

    Attributes
    ----------
    graded_aspect
        The aspect of its verdicts.
    grade_words
        Each grade of the scale in order, as text → its words, "" for a grade without words.
    """

    graded_aspect: str
    grade_words: Mapping[str, str]


def check_scale(run: Run, judge: object) -> None:
    """Raise `InputError` if a run states another scale for the aspect that a judge is about to grade."""
    if not isinstance(judge, Grading):
        return
    aspect = judge.graded_aspect
    stated, own = run.manifest.scales.get(aspect, ""), _ends(judge)
    if not stated and aspect == QUALITY and not _is_usual_quality(judge):
        table = run.verdicts()
        graded = bool(table.aspect.isin([QUALITY]).any())
        stated = f"{_USUAL_QUALITY[0]}-{_USUAL_QUALITY[1]}" if graded else ""
    if stated not in ("", own):
        raise InputError(
            say(
                "{run}: answers were graded by {aspect} from {first}, and this judge grades from {second}; a mean of "
                "both means nothing. Give the criterion another name, or judge a copy of the run",
                run=run.path,
                aspect=aspect,
                first=_in_words(stated),
                second=_in_words(own),
            )
        )


def keep_criterion(run: Run, judge: object) -> None:
    """Write the criterion, the scale and the words of its grades into the manifest; words that stand there stay."""
    manifest, changes = run.manifest, dict[str, object]()
    if criterion := getattr(judge, "criterion", ""):
        changes["criteria"] = {**manifest.criteria, getattr(judge, "by", ""): criterion}
    if isinstance(judge, Grading) and not _is_usual_quality(judge):
        aspect = judge.graded_aspect
        changes["scales"] = {**manifest.scales, aspect: _ends(judge)}
        stated = {grade: words for grade, words in manifest.scale_words.get(aspect, {}).items() if words}
        changes["scale_words"] = {**manifest.scale_words, aspect: {**judge.grade_words, **stated}}
    if changes:
        run.update(**changes)


def _ends(judge: Grading) -> str:
    """The lowest and the highest grade, as in `Manifest.scales`."""
    low, *_, high = judge.grade_words
    return f"{low}-{high}"


def _in_words(ends: str) -> str:
    """Return the ends of a scale as words.

    >>> _in_words("-2-2")
    '-2 to 2'
    """
    low, high = re.split(r"(?<=\d)-", ends, maxsplit=1)
    return say("{low} to {high}", low=low, high=high)


def _is_usual_quality(judge: Grading) -> bool:
    low, *_, high = map(int, judge.grade_words)
    return judge.graded_aspect == QUALITY and _USUAL_QUALITY[0] <= low and high <= _USUAL_QUALITY[1]

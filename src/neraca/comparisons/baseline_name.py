"""Find the run that a baseline names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from neraca.errors import InputError
from neraca.nearest import nearest
from neraca.runs.run import Run
from neraca.scores.scores import Scores
from neraca.scores.sources.run_names import named_by, names_alike


def name_of_baseline(scores: Scores, against: str | Path, sources: Sequence[Run | str | Path] = ()) -> str:
    """Return the name of the run that `against` names; "" if `against` is "".

    A run is named by its name, or by its folder or file, with or without the ending of the file, such as `.run`, and
    with or without the folders before it.

    Parameters
    ----------
    sources
        The scored runs in this order, if they are at hand.

    Raises
    ------
    InputError
        If `against` is none of the runs, or may be several of them.
    """
    names = [run.name for run in scores.runs]
    if not str(against):
        return ""
    if str(against) in names:
        return str(against)
    places = named_by(against, sources) if len(sources) == len(names) else []
    places = places or [place for place, name in enumerate(names) if names_alike(against, name)]
    if len(places) == 1:
        return names[places[0]]
    if places:
        alike = ", ".join(names[place] for place in places)
        raise InputError(f"the baseline {str(against)!r} may be each of {alike}; name one of these")
    advice = nearest(str(against), names, otherwise="name one of these")
    raise InputError(f"the baseline {str(against)!r} is none of the runs; these are {', '.join(names)} ({advice})")

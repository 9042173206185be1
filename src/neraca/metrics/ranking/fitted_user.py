"""Fitted: the user whose behaviour was estimated from a log of clicks, and stands in a file."""

from __future__ import annotations

from pathlib import Path

from neraca.metrics.ranking.cwl import user_model
from neraca.online.continuation import read_continuation
from neraca.stats.intervals.interval import Floats


@user_model("Fitted")
def fitted_user(gains: Floats, *, file: str = "users.json") -> Floats:
    """Reads on as the users of a log did, by the file that `neraca clicks EVENTS --to users.json` writes.

    C(i) is that of the file, below its last rank its tail; it does not depend on what was found.  `CWL(users.json)` is
    short for `CWL(Fitted(file=users.json))`.
    """
    return read_continuation(Path(file)).to_depth(gains.shape[1])[None, :]

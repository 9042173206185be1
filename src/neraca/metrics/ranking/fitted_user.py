"""Fitted: a user whose behaviour was estimated from a log of clicks and saved to a file."""

from __future__ import annotations

from pathlib import Path

from neraca.metrics.ranking.cwl import user_model
from neraca.online.continuation import read_continuation
from neraca.stats.intervals.interval import Floats


@user_model("Fitted")
def fitted_user(gains: Floats, *, file: str = "users.json") -> Floats:
    """Continues as the users of a log did; `neraca clicks EVENTS --to users.json` writes the file.

    C(i) comes from the file, and below its last rank from its tail; it does not depend on the hits.  `CWL(users.json)`
    is short for `CWL(Fitted(file=users.json))`.
    """
    return read_continuation(Path(file)).to_depth(gains.shape[1])[None, :]

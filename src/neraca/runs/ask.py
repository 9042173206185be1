"""Put every question of a data set to a target, and keep its answers in a run folder."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from neraca.concurrency import Progress, run_async, silent
from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import read_dataset
from neraca.files import fingerprint
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all
from neraca.targets.target import Target, make_target, settings_of


def ask(
    questions: Any,
    target: Mapping[str, Any] | str | Target | Callable[..., Any],
    out: str | Path,
    *,
    options: AskOptions | None = None,
    trials: int = 1,
    anew: bool = False,
    progress: Progress = silent,
) -> Run:
    """Ask a target every question that has no answer yet.

    In a running event loop, as in a notebook, this works but blocks the loop; there `await ask_async(…)` does not.

    Parameters
    ----------
    questions
        A file, a list of dicts (`{"question": …}`) or of texts, a data frame of polars or pandas, or a `Dataset`; see
        `read_dataset`.
    target
        Settings (`{"kind": "http", "url": …}`), a word (`python:module:function`, an address), a `Target`, or a Python
        function, which is called with the question if it has one parameter.
    out
        The run folder.  If it exists already, for the same questions and target, the run goes on.
    options
        Concurrency, timeout and retries.
    trials
        Number of times that each question is asked.
    anew
        Move an existing folder aside and begin again.

    Returns
    -------
    Run
        The run, with an answer for every question; a failed answer has a status and an error.

    Raises
    ------
    NeracaError
        If the questions, the settings or the folder cannot be used.
    """
    run, system = _begin(questions, target, out, trials, anew)
    return run_async(_finish(run, system, options, progress))


async def ask_async(
    questions: Any,
    target: Mapping[str, Any] | str | Target | Callable[..., Any],
    out: str | Path,
    *,
    options: AskOptions | None = None,
    trials: int = 1,
    anew: bool = False,
    progress: Progress = silent,
) -> Run:
    """Ask as `ask` does, in the running event loop and without blocking it: for notebooks and servers.

    An `async` target is asked in this event loop, so that it can use what was opened in it.  When the task is
    cancelled, finished answers are on disk, and the same call goes on.  Parameters and errors are those of `ask`.
    """
    run, system = await asyncio.to_thread(_begin, questions, target, out, trials, anew)
    return await _finish(run, system, options, progress)


def _begin(
    questions: Any,
    target: Mapping[str, Any] | str | Target | Callable[..., Any],
    out: str | Path,
    trials: int,
    anew: bool,
) -> tuple[Run, Target]:
    """Read the questions, open or create the run folder, and make the target."""
    dataset = questions if isinstance(questions, Dataset) else read_dataset(questions)
    settings, system = _target(target)
    return Run.create(out, dataset, settings, trials=trials, anew=anew), system


async def _finish(run: Run, target: Target, options: AskOptions | None, progress: Progress) -> Run:
    """Ask the questions of a run that have no answer yet."""
    with run.writing():
        await ask_all(run, target, options or AskOptions(), progress)
    return run


def _source(thing: Any) -> str:
    """Return a hash of the source, so that a run does not go on with a target that was changed in between."""
    try:
        return fingerprint(inspect.getsource(thing))
    except (OSError, TypeError):  # typed at a prompt, or not written in Python
        return ""


def _target(target: Mapping[str, Any] | str | Target | Callable[..., Any]) -> tuple[Mapping[str, Any], Target]:
    """Return the settings that identify a target, and the target."""
    if isinstance(target, Target) or callable(target):
        from neraca.targets.python import PythonTarget

        named = target if hasattr(target, "__qualname__") else type(target)
        identity = {"kind": "python", "function": f"{named.__module__}:{named.__qualname__}", "source": _source(named)}
        return identity, target if isinstance(target, Target) else PythonTarget.of(target)
    settings = settings_of(target) if isinstance(target, str) else target
    return settings, make_target(settings)

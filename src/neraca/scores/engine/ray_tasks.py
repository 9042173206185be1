"""Units of work as tasks of Ray, on a cluster that is there or on one of this machine alone."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from neraca.concurrency import TRIES
from neraca.datasets.work_unit import Unit
from neraca.errors import NeracaError, RunError
from neraca.ray_cluster import ray_cluster
from neraca.scores.engine.score_unit import Job, score_unit

#: Tasks that wait for each processor of the cluster: more would only fill its memory.
PENDING = 2


def run_ray(job: Job, units: Iterable[Unit], address: str, workers: int, done: Callable[[Unit], object]) -> None:
    """Do all units as tasks, and tell of each one that is done.

    A task whose process or machine dies is done again; a unit that was done twice has written the same bytes.

    Parameters
    ----------
    address
        The address of a cluster, such as `auto` or `10.0.0.1:6379`; "": one of this machine is started, and ended.
    workers
        Processes of a cluster that is started.

    Raises
    ------
    MissingExtra
        Ray is not installed.
    NeracaError
        The cluster cannot be reached, or a unit cannot be done; all that was done before is kept.
    """
    with ray_cluster(address, workers) as ray:
        _run(ray, job, units, done)


def _run(ray: Any, job: Job, units: Iterable[Unit], done: Callable[[Unit], object]) -> None:
    task = ray.remote(num_cpus=1, max_retries=TRIES)(_do_unit)
    shared, waiting = ray.put(job), iter(units)
    most = max(1, int(PENDING * ray.cluster_resources().get("CPU", 1)))
    pending = {task.remote(shared, unit): unit for unit in islice(waiting, most)}
    while pending:
        ready, _ = ray.wait(list(pending), num_returns=1)
        unit = pending.pop(ready[0])
        try:
            error = ray.get(ready[0])
        except ray.exceptions.RayError as lost:
            rows = f"rows {unit.first + 1:,} to {unit.first + unit.rows:,}"
            raise RunError(f"{unit.source}, {rows}: Ray could not do them: {lost}") from lost
        if error is not None:
            raise error
        done(unit)
        pending |= {task.remote(shared, following): following for following in islice(waiting, 1)}


def _do_unit(job: Job, unit: Unit) -> NeracaError | None:
    """Do a unit; its error is handed back, because an exception would come back as one of Ray's own."""
    if not gc.get_freeze_count():
        gc.freeze()  # what was imported is never garbage, and need not be looked at after each block
    try:
        score_unit(job, unit)
    except NeracaError as error:
        return error
    return None

"""A cluster of Ray: one that is there, or one of this machine alone."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from neraca.errors import MissingExtra, RunError, SpecError, nearest

#: Where heavy work is done: on this machine, or on a cluster.
ENGINES = ("local", "ray")
#: Seconds in which a cluster must let itself be reached.
_PATIENCE = 10.0


def check_engine(engine: str, address: str) -> None:
    """Raise `SpecError` for an engine that is unknown, and for the address of a cluster that is not used."""
    if engine not in ENGINES:
        raise SpecError(f"no engine is called {engine!r}; {nearest(engine, ENGINES)}")
    if address and engine != "ray":
        raise SpecError("an address is that of a Ray cluster; add --engine ray")


@contextmanager
def ray_cluster(address: str = "", workers: int = 0) -> Iterator[Any]:
    """Yield the module `ray`, connected to a cluster; a connection or a cluster that was begun here is ended here.

    Parameters
    ----------
    address
        Of a cluster, such as `auto` or `10.0.0.1:6379`; "": one of this machine is started.
    workers
        Processes of a cluster that is started; 0: as many as there are processors.

    Raises
    ------
    MissingExtra
        Ray is not installed.
    RunError
        The cluster cannot be reached.
    """
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("--engine ray needs the extra `ray`: pip install 'neraca[ray]'") from error
    started = not ray.is_initialized()
    try:
        if started:
            _connect(ray, address, workers)
        yield ray
    finally:
        if started:
            ray.shutdown()


def _connect(ray: Any, address: str, workers: int) -> None:
    # without an address Ray would join whatever cluster runs on this machine, and refuse its number of processors
    started = {"address": "local", "num_cpus": workers or None, "include_dashboard": False}
    own: dict[str, Any] = {"address": address} if address else started
    try:
        _reach(address)
        ray.init(**own, logging_level=logging.ERROR, log_to_driver=False, configure_logging=False)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        where = f"the Ray cluster at {address}" if address else "a Ray cluster on this machine"
        raise RunError(f"{where} cannot be used: {error}") from error


def _reach(address: str) -> None:
    """Raise `OSError` where nobody listens at `HOST:PORT`; Ray itself would try for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "/" not in host:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE):
            pass

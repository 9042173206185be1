"""Connect to a Ray cluster, or start one on this machine."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from neraca.errors import MissingExtra, RunError, SpecError
from neraca.nearest import nearest

#: Places for heavy work: this machine, or a Ray cluster.
ENGINES = ("local", "ray")
#: Seconds to wait for a connection to a cluster.
_TIMEOUT = 10.0


def check_engine(engine: str, address: str) -> None:
    """Raise `SpecError` for an unknown engine, and for an address without the engine that uses it."""
    if engine not in ENGINES:
        raise SpecError(f"no engine is called {engine!r}; {nearest(engine, ENGINES)}")
    if address and engine != "ray":
        raise SpecError("an address is that of a Ray cluster; add --engine ray")


@contextmanager
def ray_cluster(address: str = "", workers: int = 0) -> Iterator[Any]:
    """Yield the module `ray`, connected to a cluster; at the end, close what was opened here.

    Parameters
    ----------
    address
        Address of a cluster, such as `auto` or `10.0.0.1:6379`; "": start one on this machine.
    workers
        Number of processes of a cluster that is started; 0: one for each processor.

    Raises
    ------
    MissingExtra
        If Ray is not installed.
    RunError
        If the cluster cannot be reached.
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
    # Without an address, Ray would join any cluster on this machine, and then refuse the number of processors.
    local = {"address": "local", "num_cpus": workers or None, "include_dashboard": False}
    options: dict[str, Any] = {"address": address} if address else local
    try:
        _reach(address)
        ray.init(**options, logging_level=logging.ERROR, log_to_driver=False, configure_logging=False)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        where = f"the Ray cluster at {address}" if address else "a Ray cluster on this machine"
        raise RunError(f"{where} cannot be used: {error}") from error


def _reach(address: str) -> None:
    """Raise `OSError` if nothing listens at `HOST:PORT`; Ray itself would try for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "/" not in host:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_TIMEOUT):
            pass

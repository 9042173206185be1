"""A real PostgreSQL in a folder of its own, reached through a socket in it; nothing listens on the network."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def program(name: str) -> str | None:
    """Where it is; Debian keeps the server's programs out of the way."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return shutil.which(name) or (str(places[0]) if places else None)


MISSING = "" if program("initdb") and program("pg_ctl") else "no PostgreSQL server: apt-get install postgresql"


@contextmanager
def postgres() -> Iterator[str]:
    """Keep a server up; gives its URL.  It refuses to be root's, so root lets `nobody` run it."""
    user = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="neraca-pg-"))
    data = folder / "data"
    try:
        if user:
            shutil.chown(folder, user["user"])

        def run(name: str, *options: str) -> None:
            command = [program(name), "-D", str(data), *options]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=120, **user)

        run("initdb", "-A", "trust", "-U", "neraca", "--no-sync", "-E", "UTF8", "--locale=C")
        settings = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            yield f"postgresql://neraca@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)

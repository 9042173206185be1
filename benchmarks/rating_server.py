"""Simulated raters on a real rating server: how long an acknowledgement takes, and whether any rating fails.

    python benchmarks/rating_server.py [--postgres] [--raters 20] [--rate 50] [--seconds 60]

Each rater keeps a connection, as a browser does, and sends one rating at a time at random moments (a Poisson stream).
The server runs in a process of its own with 200 questions of two systems; the load comes from this one.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import signal
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

import aiohttp
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from postgres import postgres
from web.live import data_of, rating, serving, two_runs

from neraca.web.rating_session import stored_sessions
from neraca.web.ratings_database import RatingsDatabase


async def rate(link: str, per_second: float, seconds: float, chance: random.Random) -> tuple[list[float], list[str]]:
    """Seconds until each rating was acknowledged, and the ids of those that were."""
    origin = link.partition("/r/")[0]
    taken, stored = [], []
    async with aiohttp.ClientSession(headers={"Origin": origin}) as browser:
        async with browser.get(link) as reply:
            tasks = data_of(await reply.text())["tasks"]
        end, due = time.perf_counter() + seconds, time.perf_counter() + chance.expovariate(per_second)
        while due < end:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            task = chance.choice(tasks)
            one = rating(task, "quality", chance.randrange(6), f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}")
            began = time.perf_counter()
            async with browser.post(f"{link}/ratings", json={"ratings": [one]}) as reply:
                reply.raise_for_status()
                stored += (await reply.json())["stored"]
            taken.append(time.perf_counter() - began)
            due += chance.expovariate(per_second)
    return taken, stored


async def load(links: list[str], rate_: float, seconds: float) -> list[tuple[list[float], list[str]]]:
    """All raters at once."""
    return await asyncio.gather(
        *(rate(link, rate_ / len(links), seconds, random.Random(n)) for n, link in enumerate(links))
    )


def main() -> None:
    """Run the load and print what it took."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--postgres", action="store_true", help="a server as tests start it, which does not sync")
    words.add_argument("--raters", type=int, default=20)
    words.add_argument("--rate", type=float, default=50)
    words.add_argument("--seconds", type=float, default=60)
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder, postgres() if given.postgres else nullcontext("") as url:
        db = url or f"sqlite:///{folder}/log.sqlite"
        names = [f"rater{number}" for number in range(given.raters)]
        with serving(two_runs(Path(folder), 200), db, ",".join(names)) as server:
            done = asyncio.run(load(list(server.links.values()), given.rate, given.seconds))
            server.end(signal.SIGTERM)
        with RatingsDatabase(db, make=False) as database:
            session = stored_sessions(database)[-1]
            kept = {name: [one.id for one in session.ratings(name)] for name in names}
    taken = np.array([one for times, _ in done for one in times]) * 1000
    lost = sum(len(set(ids) - set(kept[name])) for name, (_, ids) in zip(names, done, strict=True))
    doubled = sum(len(ids) - len(set(ids)) for ids in kept.values())
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{len(taken):,} ratings of {given.raters} raters in {given.seconds:g} s, {'PostgreSQL' if url else 'SQLite'}"
    )
    print(
        "ms: "
        + ", ".join(f"p{p:g} {np.percentile(taken, p):.1f}" for p in (50, 90, 99, 99.9))
        + f", most {taken.max():.1f}"
    )
    print(f"acknowledged and lost {lost}, doubled {doubled}; server {cpu.ru_utime + cpu.ru_stime:.1f} s of CPU, "
          f"{cpu.ru_maxrss / 1024:.0f} MB")  # fmt: skip


if __name__ == "__main__":
    main()

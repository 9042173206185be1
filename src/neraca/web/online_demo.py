"""The demonstration of online experiments: one service, two methods, an A/B test and interleaving beside each other."""

from __future__ import annotations

import asyncio
import math
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import aiohttp
import uvicorn

from neraca.datasets.read_dataset import read_dataset
from neraca.errors import TargetError
from neraca.judges.rules import Rules
from neraca.online.ab import ab
from neraca.online.experiment import AbOptions, Experiment
from neraca.online.interleaving.click_credit import click_credit
from neraca.online.interleaving.preference import InterleavingResult, interleaving_result
from neraca.online.log_options import LogOptions
from neraca.online.search_log import SearchLog, search_log
from neraca.records import Answer, Hit, Item
from neraca.web.live_search import Results, UbiLog, live_search
from neraca.web.simulated_users import Crowd, visit

METHODS = ("vector", "hybrid")
METRICS = ("click_through", "clicks", "click_through@1", "searches")
EXPERIMENTS = ("ab", "interleaving")
POWER, ALPHA = 0.8, 0.05


@dataclass(frozen=True)
class DesignNeed:
    """What one design needed, by the numbers of this very run.

    Attributes
    ----------
    users
        Who were in it.
    needed
        Users with whom it finds the difference that it saw with a chance of `POWER`; None where it saw none.
    """

    users: int
    needed: int | None


@dataclass(frozen=True)
class OnlineDemo:
    """What the demonstration found.

    Attributes
    ----------
    logs
        `ab` and `interleaving` → the SQLite file of UBI tables.
    requests
        That users made over HTTP.
    """

    crowd: Crowd
    methods: tuple[str, str]
    logs: Mapping[str, Path]
    requests: int
    experiment: Experiment
    interleaving: InterleavingResult
    interleaving_log: SearchLog
    needs: Mapping[str, DesignNeed]


def run_online_demo(chatbot: str, questions: Path, folder: Path, crowd: Crowd) -> OnlineDemo:
    """Serve two methods of the chatbot to simulated users, and analyse what they did.

    Raises
    ------
    TargetError
        The chatbot or the service did not answer.
    """
    items = _first_questions(read_dataset(questions).items)
    results, relevant = asyncio.run(_ask(chatbot, items))
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / f"{name}.sqlite" for name in EXPERIMENTS}
    logs = {name: UbiLog(path) for name, path in paths.items()}
    try:
        with _serving(results, logs, crowd.seed) as url:
            requests = asyncio.run(visit(url, [item.query for item in items], relevant, crowd))
    finally:
        for log in logs.values():
            log.close()
    experiment = ab(search_log(paths["ab"], LogOptions(arms=METHODS)), METRICS, AbOptions(tuned_for=crowd.users // 2))
    interleaved = search_log(paths["interleaving"])
    interleaving = interleaving_result(click_credit(interleaved, rankers=METHODS[::-1]))
    needs = {"ab": _ab_need(experiment), "interleaving": _interleaving_need(interleaving)}
    return OnlineDemo(crowd, METHODS, paths, requests, experiment, interleaving, interleaved, needs)


def _first_questions(items: Sequence[Item]) -> list[Item]:
    """The questions that begin a session: the others say nothing without those before them."""
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(item.session or item.id, item)
    return [item for item in first.values() if item.expects != "none"]


async def _ask(chatbot: str, items: Sequence[Item]) -> tuple[Results, dict[str, frozenset[str]]]:
    """What each method finds for each question, and which of it meets all constraints."""
    results: dict[str, dict[str, list[str]]] = {method: {} for method in METHODS}
    relevant: dict[str, frozenset[str]] = {}
    async with aiohttp.ClientSession(chatbot, timeout=aiohttp.ClientTimeout(120)) as http:
        for item in items:
            hits: dict[str, Hit] = {}
            for method in METHODS:
                async with http.post("/chat", json={"message": item.query, "method": method}) as response:
                    if response.status != 200:
                        raise TargetError(f"the chatbot answered with HTTP {response.status}")
                    found = (await response.json())["properties"]
                results[method][item.query] = [str(listing["id"]) for listing in found]
                hits |= {str(one["id"]): Hit(id=str(one["id"]), fields=one) for one in found}
            relevant[item.query] = _meeting(item, hits)
    return results, relevant


def _meeting(item: Item, hits: Mapping[str, Hit]) -> frozenset[str]:
    answer = Answer(item=item.id, hits=tuple(hits.values()))
    missed = {v.about.removeprefix("hit:") for v in Rules({"language": "id"}).judge([(item, answer)]) if v.value != 1}
    return frozenset(hits) - missed


@contextmanager
def _serving(results: Results, logs: Mapping[str, UbiLog], seed: int) -> Iterator[str]:
    """The service on a free port of this machine alone, in a thread."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(live_search(results, logs, seed), log_level="warning", access_log=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def _ab_need(experiment: Experiment) -> DesignNeed:
    effect = experiment.of(METRICS[0])[0]
    users = sum(experiment.users.values())
    return DesignNeed(users, _needed(effect.plain.difference / effect.plain.error if effect.plain.error else 0, users))


def _interleaving_need(result: InterleavingResult) -> DesignNeed:
    """By the mean preference of users; those without a winner count as users, too."""
    (one,) = result.deciding
    users = int(result.credit.users.max()) + 1
    half = (one.high - one.low) / 2
    error = half / NormalDist().inv_cdf(1 - ALPHA / 2)
    return DesignNeed(users, _needed((one.value - 0.5) / error if error > 0 else 0, users))


def _needed(z: float, users: int) -> int | None:
    """Users with whom an effect that stood so many standard errors from zero is found with a chance of `POWER`."""
    normal = NormalDist()
    reach = normal.inv_cdf(1 - ALPHA / 2) + normal.inv_cdf(POWER)
    return math.ceil(users * (reach / z) ** 2) if z and math.isfinite(z) else None

"""Demonstrate online experiments: compare two methods of one service by an A/B test and by interleaving."""

from __future__ import annotations

import asyncio
import math
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist

import aiohttp
import uvicorn

from neraca.datasets.read_dataset import read_dataset
from neraca.errors import TargetError
from neraca.judges.rules.rules_judge import RulesJudge
from neraca.online.ab import ab
from neraca.online.experiment import AbOptions, Experiment
from neraca.online.interleaving.click_credit import click_credit
from neraca.online.interleaving.interleaving_result import InterleavingResult
from neraca.online.interleaving.preference import interleaving_result
from neraca.online.log_options import LogOptions
from neraca.online.search_log import search_log
from neraca.online_demo.live_search import Results, UbiLog, live_search
from neraca.online_demo.simulated_users import Crowd, visit
from neraca.records import Answer, Hit, Item

METHODS = ("vector", "hybrid")
METRICS = ("click_through", "clicks", "click_through@1", "searches")
EXPERIMENTS = ("ab", "interleaving")
POWER, ALPHA = 0.8, 0.05


@dataclass(frozen=True)
class DesignNeed:
    """Sample size that one design needs, estimated from this run.

    Attributes
    ----------
    users
        Number of users in the experiment.
    needed
        Number of users with which a difference as large as the observed one is found with power `POWER`; None if the
        observed difference is zero.
    """

    users: int
    needed: int | None


@dataclass(frozen=True)
class OnlineDemo:
    """Results of the demonstration.

    Attributes
    ----------
    logs
        `ab` and `interleaving` → the SQLite file of UBI tables.
    requests
        Number of HTTP requests of all users.
    """

    crowd: Crowd
    methods: tuple[str, str]
    logs: Mapping[str, Path]
    requests: int
    experiment: Experiment
    interleaving: InterleavingResult
    needs: Mapping[str, DesignNeed]


def run_online_demo(chatbot: str, questions: Path, folder: Path, crowd: Crowd) -> OnlineDemo:
    """Serve two methods of the chatbot to simulated users, and analyse their searches and clicks.

    Raises
    ------
    TargetError
        If the chatbot or the service does not answer.
    """
    items = _first_questions(read_dataset(questions).items)
    results, relevant = asyncio.run(_ask_methods(chatbot, items))
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
    interleaving = replace(interleaving_result(click_credit(interleaved, rankers=METHODS[::-1])), log=interleaved.read)
    needs = {"ab": _need_of_ab(experiment), "interleaving": _need_of_interleaving(interleaving)}
    return OnlineDemo(crowd, METHODS, paths, requests, experiment, interleaving, needs)


def _first_questions(items: Sequence[Item]) -> list[Item]:
    """Return the first question of each session that expects results: later ones depend on those before them."""
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(item.session or item.id, item)
    return [item for item in first.values() if item.expects != "none"]


async def _ask_methods(chatbot: str, items: Sequence[Item]) -> tuple[Results, dict[str, frozenset[str]]]:
    """Return the results of each method, and for each question the documents that meet all constraints."""
    results: dict[str, dict[str, list[str]]] = {method: {} for method in METHODS}
    relevant: dict[str, frozenset[str]] = {}
    async with aiohttp.ClientSession(chatbot, timeout=aiohttp.ClientTimeout(120)) as http:
        for item in items:
            hits: dict[str, Hit] = {}
            for method in METHODS:
                async with http.post("/chat", json={"message": item.query, "method": method}) as response:
                    if response.status != 200:
                        raise TargetError(f"the chatbot answered with HTTP {response.status}")
                    listings = (await response.json())["properties"]
                results[method][item.query] = [str(listing["id"]) for listing in listings]
                hits |= {str(listing["id"]): Hit(id=str(listing["id"]), fields=listing) for listing in listings}
            relevant[item.query] = _relevant_ids(item, hits)
    return results, relevant


def _relevant_ids(item: Item, hits: Mapping[str, Hit]) -> frozenset[str]:
    answer = Answer(item=item.id, hits=tuple(hits.values()))
    missed = {v.about.removeprefix("hit:") for v in RulesJudge(language="id").judge([(item, answer)]) if v.value != 1}
    return frozenset(hits) - missed


@contextmanager
def _serving(results: Results, logs: Mapping[str, UbiLog], seed: int) -> Iterator[str]:
    """Run the service in a thread, on a free port that only this machine can reach; yield its address."""
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


def _need_of_ab(experiment: Experiment) -> DesignNeed:
    effect = experiment.of(METRICS[0])[0]
    users = sum(experiment.users.values())
    z = effect.plain.difference / effect.plain.error if effect.plain.error else 0
    return DesignNeed(users, _users_needed(z, users))


def _need_of_interleaving(result: InterleavingResult) -> DesignNeed:
    """Return the need by the mean preference of users; users without a winner count as well."""
    (preference,) = result.deciding
    users = int(result.credit.users.max()) + 1
    half_width = (preference.high - preference.low) / 2
    error = half_width / NormalDist().inv_cdf(1 - ALPHA / 2)
    return DesignNeed(users, _users_needed((preference.value - 0.5) / error if error > 0 else 0, users))


def _users_needed(z: float, users: int) -> int | None:
    """Return the number of users that find an effect with power `POWER`, if `users` saw it at `z` standard errors."""
    normal = NormalDist()
    required_z = normal.inv_cdf(1 - ALPHA / 2) + normal.inv_cdf(POWER)
    return math.ceil(users * (required_z / z) ** 2) if z and math.isfinite(z) else None

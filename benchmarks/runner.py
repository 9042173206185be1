"""What the runner costs: CPU per question and memory against a local HTTP target that answers at once.

    .venv/bin/python benchmarks/runner.py

The server is a process of its own.  For each number of questions a fresh process asks them all, so that its peak
memory is its own; the last column is the growth over the smallest case, per question.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SERVER = """
import asyncio
from aiohttp import web

async def chat(request):
    body = await request.json()
    return web.json_response({"response": "you said " + body["message"], "results": [{"id": "1", "price": 5}]})

app = web.Application()
app.router.add_post("/chat", chat)

async def main():
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(site._server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def one(url: str, count: int) -> None:
    """Ask `count` questions and print what it cost this process."""
    from neraca.datasets.dataset import Dataset
    from neraca.records import Item
    from neraca.runs.ask import ask
    from neraca.runs.runner import AskOptions

    paths = {"text": "response", "hits": "results"}
    settings = {"kind": "http", "url": url, "body": {"message": "{query}"}, "response": paths}
    with tempfile.TemporaryDirectory() as folder:
        warm = Dataset(tuple(Item(id=f"w{n}", query="warm up") for n in range(50)), "warm")
        ask(warm, settings, Path(folder) / "warm")
        dataset = Dataset(tuple(Item(id=str(n), query=f"question number {n}") for n in range(count)), "bench")
        cpu, wall = time.process_time(), time.perf_counter()
        run = ask(dataset, settings, Path(folder) / "run", options=AskOptions(concurrency=32))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        good = run.manifest.statuses.get("complete", 0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"count": count, "complete": good, "cpu": cpu, "wall": wall, "peak": peak}))


def main() -> None:
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/chat"
        rows = []
        for count in (1_000, 10_000, 40_000):
            call = [sys.executable, __file__, url, str(count)]
            told = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True)
            rows.append(json.loads(told.stdout.splitlines()[-1]))
    finally:
        server.terminate()
        server.wait()
    print("questions  complete  CPU ms each  wall s  peak MB  KB more each")
    for row in rows:
        more = (row["peak"] - rows[0]["peak"]) * 1024 / max(row["count"] - rows[0]["count"], 1)
        each = row["cpu"] / row["count"] * 1000
        sizes = f"{row['count']:9,}  {row['complete']:8,}"
        print(f"{sizes}  {each:11.3f}  {row['wall']:6.1f}  {row['peak']:7.0f}  {more:12.2f}")


if __name__ == "__main__":
    one(sys.argv[1], int(sys.argv[2])) if len(sys.argv) > 1 else main()

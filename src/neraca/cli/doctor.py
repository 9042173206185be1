"""`neraca doctor`: what is installed and reachable."""

from __future__ import annotations

import contextlib
import platform
from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import options

EXTRAS = {"demo": ("fastapi", "uvicorn", "chromadb", "scikit-learn", "pydantic-ai-slim")}


def command(
    target: Annotated[str, typer.Option(help="Ask this target one question and show what was understood.")] = "",
    question: Annotated[str, typer.Option(help="The question to ask.")] = "Hello?",
    timeout: Annotated[float, typer.Option(help="Seconds to wait for the answer.", min=0.001)] = 60.0,
    plugin: options.Plugins = [],
) -> None:
    """Say what is installed; with --target, ask one question and show text, hits and fields as they were read."""
    options.load_plugins(plugin)
    if target:
        settings = options.target_settings(target)
        with contextlib.chdir(Path(target).parent if target.endswith(".toml") else "."):
            _try(settings, question, timeout)
        return
    from importlib.metadata import version

    print(f"neraca {version('neraca')}, Python {platform.python_version()}")
    for extra in EXTRAS:
        missing = lacking(extra)
        told = f"missing {', '.join(missing)}; install neraca[{extra}]" if missing else "installed"
        print(f"extra {extra}: {told}")


def lacking(extra: str) -> list[str]:
    """Which packages of an extra are not installed."""
    from importlib.metadata import PackageNotFoundError, version

    missing = []
    for package in EXTRAS[extra]:
        try:
            version(package)
        except PackageNotFoundError:
            missing.append(package)
    return missing


def _try(settings: dict[str, object], question: str, timeout: float) -> None:
    import asyncio
    import time

    from neraca.errors import TargetError
    from neraca.records import Answer, Item
    from neraca.reports.safe import clip, line
    from neraca.targets.target import Conversation, make_target

    system = make_target(settings)

    async def one() -> Answer:
        try:
            async with asyncio.timeout(timeout):
                return await system.ask(Item(id="1", query=question), Conversation("doctor"))
        finally:
            await system.close()

    started = time.perf_counter()
    try:
        answer = asyncio.run(one())
    except TimeoutError:
        print(f"no answer within {timeout:g} s")
        raise typer.Exit(3) from None
    except TargetError as error:
        print(f"no answer: {error}")
        print(
            "asking again may help" if error.again else "asking again would not help: mend the target or its settings"
        )
        raise typer.Exit(3) from None
    print(f"status: {answer.status}, {time.perf_counter() - started:.2f} s")
    print(f"text ({len(answer.text)} characters): {clip(answer.text, 500)}")
    print(f"hits: {len(answer.hits)}")
    for rank, hit in enumerate(answer.hits[:5], start=1):
        fields = ", ".join(f"{key}={value}" for key, value in list(hit.fields.items())[:8])
        print(line(f"{rank}. id={hit.id} score={hit.score} {hit.text[:80]!r} {fields}", 300))
    if not answer.hits and not answer.text:
        print("nothing was understood: set the paths text and hits in the target's settings")

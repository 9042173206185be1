"""Options of commands that call models: settings of the models, a dry run, the budget, the file of replies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from neraca.cli import options


class ModelCalls(NamedTuple):
    """Options of the calls of models."""

    set_values: Annotated[
        list[str],
        typer.Option(
            "--set", metavar="NAME=VALUE", help='Any other setting of the judges: "price=[0.15, 0.6]", seed=7.'
        ),
    ] = []
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what it would cost.")] = False
    budget: Annotated[float | None, typer.Option(help="Most US dollars to spend on models in this start.")] = None
    cache: Annotated[Path | None, typer.Option(help="The file that keeps all replies of models.")] = None

    def settings(self) -> dict[str, Any]:
        """Read the `NAME=VALUE` options; a value that is not TOML stays text."""
        import tomllib

        values: dict[str, Any] = {}
        for name, value in options.pairs(self.set_values, "--set").items():
            try:
                values[name] = tomllib.loads(f"value = {value}")["value"]
            except tomllib.TOMLDecodeError:
                values[name] = value
        return values

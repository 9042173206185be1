"""The manifest of a folder of work on rows, so that a command that was stopped goes on with the same work."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Self

import msgspec

from neraca import object_stores
from neraca.datasets.parquet import PARQUET
from neraca.errors import InputError, RunError
from neraca.scores.engine.work_unit import Source


class WorkManifest(msgspec.Struct, frozen=True, kw_only=True):
    """The manifest of a folder of work; another command into the same folder must have an equal one.

    Attributes
    ----------
    metrics
        Canonical names; where rows are judged there are none.
    columns
        The role of each column that is read.
    settings
        Further settings that shape the values: language, relevance, by, unit.
    sources
        Name, size, rows and checksum of the footer of each file, in their order.
    neraca
        The version that computed.
    """

    metrics: tuple[str, ...]
    columns: dict[str, Any]
    settings: dict[str, Any]
    sources: tuple[tuple[str, int, int, int], ...]
    neraca: str
    v: int = 1

    @property
    def rows(self) -> int:
        """Rows in all files."""
        return sum(source[2] for source in self.sources)

    @classmethod
    def made(
        cls,
        sources: Sequence[Source],
        metrics: tuple[str, ...],
        columns: Mapping[str, Any],
        settings: Mapping[str, Any],
    ) -> Self:
        """Make the manifest of work that begins."""
        files = [(_name(source.address), source.size, source.footer.rows, _checksum(source)) for source in sources]
        return cls(
            metrics=tuple(metrics),
            columns=dict(columns),
            settings=dict(settings),
            sources=tuple(files),
            neraca=version("neraca"),
        )

    @classmethod
    def read(cls, address: str) -> Self:
        """Read the manifest of a folder that was begun; raise `InputError` if it cannot be read."""
        try:
            return msgspec.json.decode(object_stores.read_bytes(address), type=cls)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise InputError(f"{address}: cannot be read: {error}") from error


def begin(address: str, manifest: WorkManifest) -> None:
    """Write the manifest to this address; raise `RunError` where there is another one."""
    if not object_stores.exists(address):
        object_stores.write_bytes(address, msgspec.json.format(msgspec.json.encode(manifest)))
        return
    manifests = (WorkManifest.read(address), manifest)
    before, after = (msgspec.json.decode(msgspec.json.encode(one)) for one in manifests)
    for name, now in after.items():
        if before[name] != now:
            folder = address.replace("\\", "/").rpartition("/")[0]
            raise RunError(
                f"{folder} holds results of something else: {name} {_differing(before[name], now)}; choose another "
                "folder with --out, or delete this one"
            )


def units_in(folder: str) -> frozenset[str]:
    """Names of the units that are written into a folder; of a folder that is not there, none."""
    there = (
        object_stores.listed(folder, PARQUET)
        if object_stores.is_remote(folder) or object_stores.local_path(folder).is_dir()
        else []
    )
    return frozenset(_name(one.address) for one in there)


def _name(address: str) -> str:
    return address.replace("\\", "/").rpartition("/")[2]


def _checksum(source: Source) -> int:
    """Return the checksum of the footer, which describes the place and the content of every page."""
    return zlib.crc32(object_stores.read_bytes(source.address, source.size - source.tail, source.size))


def _differing(before: Any, now: Any) -> str:
    """Describe in a line where two values differ."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        name = next(name for name in {**before, **now} if before.get(name) != now.get(name))
        return f"{name} {_differing(before.get(name), now.get(name))}"
    if isinstance(before, list) and isinstance(now, list) and len(before) != len(now):
        return f"were {len(before):,} and are {len(now):,}"
    if isinstance(before, list) and isinstance(now, list):
        return next(_differing(old, new) for old, new in zip(before, now, strict=True) if old != new)
    return f"was {msgspec.json.encode(before).decode()} and is {msgspec.json.encode(now).decode()}"

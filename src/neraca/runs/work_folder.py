"""Folders of work on the rows of Parquet files: their files on disk, and a manifest that lets a stopped command go on.

`score_parquet` and `judge_parquet` make the bytes; only this module knows which file holds them.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Self

import msgspec

from neraca import object_stores
from neraca.datasets.parquet import PARQUET
from neraca.datasets.work_unit import Source
from neraca.errors import InputError, RunError

#: Manifest of a folder of scores, and of a folder of verdicts.
SCORED, JUDGED = "scored.json", "judged.json"
#: Subfolders with a file for each unit: values row by row; rows without a value, with the reason; rows with verdicts.
VALUES, UNSCORED, ROWS = "values", "unscored", "rows"
#: The facts about all rows that scoring needs, and the scores over all rows.
LEARNED, SCORES = "learned.json", "scores.jsonl"
#: Subfolder with copies as Parquet of tables in other formats.
COPIES = "source"


class WorkManifest(msgspec.Struct, frozen=True, kw_only=True):
    """The manifest of a folder of work; another command into the same folder must have an equal one.

    Attributes
    ----------
    metrics
        Canonical names; empty if rows are judged.
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
    def of(
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


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """A folder of work, on this machine or in an object store.  Every method raises `InputError`.

    Attributes
    ----------
    address
        The address of the folder.
    """

    address: str

    def address_of(self, *names: str) -> str:
        """Return the address of a file, or of a unit's file in a subfolder."""
        return object_stores.join_address(self.address, "/".join(names))

    def begin(self, name: str, manifest: WorkManifest) -> None:
        """Write the manifest; raise `RunError` if the folder has a different one."""
        address = self.address_of(name)
        if not object_stores.exists(address):
            object_stores.write_bytes(address, msgspec.json.format(msgspec.json.encode(manifest)))
            return
        manifests = (self.manifest(name), manifest)
        before, after = (msgspec.json.decode(msgspec.json.encode(each)) for each in manifests)
        for field, value in after.items():
            if before[field] != value:
                folder = address.replace("\\", "/").rpartition("/")[0]
                raise RunError(
                    f"{folder} holds results of something else: {field} {_change(before[field], value)}; choose "
                    "another folder with --out, or delete this one"
                )

    def manifest(self, name: str) -> WorkManifest:
        """Read the manifest."""
        address = self.address_of(name)
        try:
            return msgspec.json.decode(object_stores.read_bytes(address), type=WorkManifest)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise InputError(f"{address}: cannot be read: {error}") from error

    def has(self, name: str) -> bool:
        """Return whether a file is written."""
        return object_stores.exists(self.address_of(name))

    def units(self, subfolder: str) -> list[str]:
        """Return the names of the units that are written into a subfolder, in the order of their rows."""
        address = self.address_of(subfolder)
        if not object_stores.is_remote(address) and not object_stores.local_path(address).is_dir():
            return []
        return sorted({_name(file.address) for file in object_stores.list_files(address, PARQUET)})

    def read(self, *names: str) -> bytes:
        """Read a file, or a unit's file in a subfolder."""
        return object_stores.read_bytes(self.address_of(*names))

    def write(self, data: bytes, *names: str) -> None:
        """Write a file, or a unit's file in a subfolder, whole or not at all."""
        object_stores.write_bytes(self.address_of(*names), data)

    def remove_unfinished(self) -> None:
        """Remove the temporary files that killed processes left behind; an object store has none."""
        if not object_stores.is_remote(self.address):
            for leftover in object_stores.local_path(self.address).rglob(f".*{PARQUET}.*"):
                leftover.unlink(missing_ok=True)


def _name(address: str) -> str:
    return address.replace("\\", "/").rpartition("/")[2]


def _checksum(source: Source) -> int:
    """Return the checksum of the footer, which describes the place and the content of every page."""
    return zlib.crc32(object_stores.read_bytes(source.address, source.size - source.tail, source.size))


def _change(before: Any, after: Any) -> str:
    """Describe the first difference between two values in a line."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        name = next(name for name in {**before, **after} if before.get(name) != after.get(name))
        return f"{name} {_change(before.get(name), after.get(name))}"
    if isinstance(before, list) and isinstance(after, list) and len(before) != len(after):
        return f"were {len(before):,} and are {len(after):,}"
    if isinstance(before, list) and isinstance(after, list):
        return next(_change(old, new) for old, new in zip(before, after, strict=True) if old != new)
    return f"was {msgspec.json.encode(before).decode()} and is {msgspec.json.encode(after).decode()}"

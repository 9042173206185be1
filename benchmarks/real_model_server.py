"""Serve a GGUF file by llama.cpp, as `llama-server -m FILE -c 8192 -np 1` does, on a free port of 127.0.0.1.

    PYTHONPATH=FOLDER_OF_XLLAMACPP python benchmarks/real_model_server.py FILE [PORT] [THREADS]

Prints the base URL once the model is loaded, and serves until it is ended.  Started by benchmarks/real_model.py.
"""

from __future__ import annotations

import signal
import sys

import xllamacpp

#: Tokens that instructions, contexts and reply may have together.
CONTEXT = 8192


def main() -> None:
    """Load the model, print its address, and serve."""
    file, *numbers = sys.argv[1:]
    port, threads = [*map(int, numbers), *(0, 2)[len(numbers) :]]
    settings = xllamacpp.CommonParams()
    settings.model.path = file
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    settings.port = port
    server = xllamacpp.Server(settings)
    print(f"{server.listening_address}/v1", flush=True)
    signal.pause()


if __name__ == "__main__":
    main()

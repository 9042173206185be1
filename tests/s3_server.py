"""A server on this machine that speaks S3, with what was asked of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def s3_server() -> Iterator[str]:
    """Its address."""
    from moto.server import ThreadedMotoServer

    running = ThreadedMotoServer("127.0.0.1", port=0)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


def bucket(server: str, monkeypatch: Any) -> str:
    """The address of a new bucket, with keys where the tools of S3 look for them."""
    import boto3
    import s3fs

    for name, value in {
        "AWS_ENDPOINT_URL": server,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "hidden-secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    name = f"bucket-{random.randrange(10**9)}"
    boto3.client("s3", endpoint_url=server).create_bucket(Bucket=name)
    return f"s3://{name}"

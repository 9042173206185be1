"""Client and server in one event loop."""

import asyncio

#: Seconds that `read_by_now` takes at least.
WAIT = 0.05


async def read_by_now() -> None:
    """Wait until what was sent over loopback before has been read.

    Client and server share one event loop, and each round of it hands over what has come: five rounds are enough,
    however slow the machine is.
    """
    for _ in range(5):
        await asyncio.sleep(WAIT / 5)

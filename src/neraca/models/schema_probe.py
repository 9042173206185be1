"""A call that tells whether an endpoint enforces the schema of a reply, ignores it, or does not accept it.

The instructions ask for something else than the schema: a model that is held to the schema cannot follow them.
"""

from __future__ import annotations

import msgspec

from neraca.models.prompt import Prompt


class ProbeReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reply that the schema allows."""

    enforced: bool


PROBE: Prompt[ProbeReply] = Prompt(
    system="Reply with the one word hello. Write no JSON.",
    user="Say hello.",
    kind=ProbeReply,
    guess=ProbeReply(True),
    retries=0,
)

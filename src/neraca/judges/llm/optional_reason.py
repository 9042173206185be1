"""The reason in a reply of a model, which the simplest form of the reply leaves out.

A small model may repeat itself in a reason without an end, and then never comes to its decision.
"""

from __future__ import annotations

import msgspec

#: The reason of a decision for which the model gave none.
WITHOUT_REASON = "decided without a reason"
#: A reason as long as those that models write, for estimates: with its decision it takes 38 tokens, the mean of 378
#: replies of a small model to one question each.
PLAUSIBLE_REASON = (
    "The answer gives what the question asks for: it names the place and the price, and nothing in the texts speaks "
    "against it."
)
#: The type of a field `reason`.
OptionalReason = str | msgspec.UnsetType


def reason_text(reason: OptionalReason) -> str:
    """Return the reason of a verdict.

    >>> reason_text("it names the price"), reason_text(msgspec.UNSET)
    ('it names the price', 'decided without a reason')
    """
    return WITHOUT_REASON if reason is msgspec.UNSET else reason

"""Aspects whose verdicts list claims or count them, and decide nothing themselves."""

from __future__ import annotations

#: A verdict on `claims`, `reference_claims` or `contexts` counts them; the reason of a verdict on `claim` is its text.
CLAIM_LISTS = ("claims", "reference_claims", "contexts", "claim")

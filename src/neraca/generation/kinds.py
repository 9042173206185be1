"""Read how many questions of each kind are to be made."""

from __future__ import annotations

from collections.abc import Mapping

from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.translation import say

MOST_QUESTIONS = 10_000


def numbers_of(n: int, kinds: str, shares_by_kind: Mapping[str, float]) -> dict[str, int]:
    """Return kind → the number of its questions; their sum is n.

    Parameters
    ----------
    n
        The number of questions, from 1 to 10,000.
    kinds
        Kinds with their shares, such as `constraint=0.7,followup=0.3`; "": the usual shares.
    shares_by_kind
        All kinds → their usual shares; 0: only if it is named.

    Raises
    ------
    SpecError
        If n is out of its range, or a kind or its share cannot be used.

    Examples
    --------
    >>> usual = {"constraint": 0.5, "followup": 0.5}
    >>> numbers_of(30, "", usual), numbers_of(10, "constraint=0.7,followup=0.3", usual)
    ({'constraint': 15, 'followup': 15}, {'constraint': 7, 'followup': 3})
    """
    if not 1 <= n <= MOST_QUESTIONS:
        raise SpecError(
            say(
                "the number of questions must be from 1 to {most:,}, not {n}",
                most=MOST_QUESTIONS,
                n=n,
            )
        )
    shares: dict[str, float] = {}
    for part in filter(None, map(str.strip, kinds.split(","))):
        name, equals, share = map(str.strip, part.partition("="))
        if name not in shares_by_kind:
            raise SpecError(
                say(
                    "--kinds {kinds}: there is no kind {name!r}; {advice}",
                    kinds=kinds,
                    name=name,
                    advice=nearest(name, shares_by_kind),
                )
            )
        if name in shares:
            raise SpecError(say("--kinds {kinds}: {name} stands twice; name each kind once", kinds=kinds, name=name))
        shares[name] = _share(share, kinds) if equals else 1.0
    shares = shares or {name: share for name, share in shares_by_kind.items() if share}
    total = sum(shares.values())
    numbers = {name: int(n * share / total) for name, share in shares.items()}
    first = next(iter(numbers))
    numbers[first] += n - sum(numbers.values())
    return numbers


def _share(text: str, kinds: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share < 1e9:
        raise SpecError(
            say(
                "--kinds {kinds}: {text!r} is no share; write numbers above 0, as constraint=0.7,followup=0.3",
                kinds=kinds,
                text=text,
            )
        )
    return share

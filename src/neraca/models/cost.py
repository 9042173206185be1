"""The cost of model calls: tokens, counted or estimated, and prices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from neraca.counts_and_lists import count
from neraca.number_format import localised
from neraca.translation import say


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """Counts and cost of model calls.

    Attributes
    ----------
    calls
        Calls answered and paid.
    cached
        Replies from the cache, which cost nothing.
    wasted
        Calls whose replies were paid for but unusable.
    refused
        Calls without a reply: refused, lost or not answered in time.  Providers do not charge for refused calls.
    input_tokens, output_tokens
        Tokens of the calls made, including unusable replies, which are paid too.
    cost
        US dollars; None if the price of a call is unknown.
    """

    calls: int = 0
    cached: int = 0
    wasted: int = 0
    refused: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, further: Spent) -> Spent:
        """Return the sum over two groups of calls; its cost is unknown if either cost is."""
        return self._add_signed(further, 1)

    def __sub__(self, earlier: Spent) -> Spent:
        """Return the calls and the cost since an earlier count; the cost is unknown if either cost is.

        >>> (Spent(calls=5, cost=2.0) - Spent(calls=2, cost=0.5)).cost
        1.5
        """
        return self._add_signed(earlier, -1)

    def _add_signed(self, term: Spent, sign: int) -> Spent:
        both_priced = self.cost is not None and term.cost is not None
        return Spent(
            calls=self.calls + sign * term.calls,
            cached=self.cached + sign * term.cached,
            wasted=self.wasted + sign * term.wasted,
            refused=self.refused + sign * term.refused,
            input_tokens=self.input_tokens + sign * term.input_tokens,
            output_tokens=self.output_tokens + sign * term.output_tokens,
            cost=(self.cost or 0.0) + sign * (term.cost or 0.0) if both_priced else None,
        )

    def __str__(self) -> str:
        """Describe the counts in a few words, without tokens.

        >>> print(Spent(calls=1200, cached=3, cost=0.5))
        1,200 calls, 3 from the cache, $0.5000
        >>> print(Spent(calls=1, wasted=2, refused=3, cost=None))
        1 call, 2 more wasted (paid), 3 refused or lost (unpaid), price not known
        """
        parts = [count(self.calls, "call")]
        parts += [say("{n:,} from the cache", n=self.cached)] if self.cached else []
        parts += [say("{n:,} more wasted (paid)", n=self.wasted)] if self.wasted else []
        parts += [say("{n:,} refused or lost (unpaid)", n=self.refused)] if self.refused else []
        return ", ".join([*parts, say("price not known") if self.cost is None else localised(f"${self.cost:.4f}")])

    def with_tokens(self) -> str:
        """Describe the counts, and the tokens if there are any.

        >>> Spent(calls=1200, cost=0.5, input_tokens=170_300, output_tokens=20_100).with_tokens()
        '1,200 calls, $0.5000; 170,300 tokens in, 20,100 out'
        >>> Spent(cached=3).with_tokens()
        '0 calls, 3 from the cache, $0.0000'
        """
        if not (self.input_tokens or self.output_tokens):
            return str(self)
        used = {"read": self.input_tokens, "written": self.output_tokens}
        return say("{calls}; {read:,} tokens in, {written:,} out", calls=str(self), **used)

    def estimate(self) -> str:
        """Describe the counts of a dry run in a few words.

        >>> Spent(calls=84, cached=3, input_tokens=170_300, output_tokens=20_100, cost=0.0391).estimate()
        'about 84 calls, 3 from the cache, $0.0391; 170,300 tokens in, 20,100 out'
        >>> Spent(cached=87).estimate(), Spent().estimate()
        ('nothing: all 87 replies are in the cache', 'nothing: there is no model to ask')
        """
        if not self.calls and not self.input_tokens:
            if not self.cached:
                return say("nothing: there is no model to ask")
            return say("nothing: all {n:,} replies are in the cache", n=self.cached)
        return say("about {calls}", calls=self.with_tokens())


def tokens(text: str) -> int:
    """Estimate the number of tokens of a text: a quarter of its UTF-8 bytes, rounded up.

    The estimate needs no vocabulary, and suits every script: letters that take more tokens also take more bytes.  Its
    error depends on the model.  If the provider returns a count, that is used instead.

    >>> tokens("The house has two floors."), tokens("")
    (7, 0)
    """
    return -(-len(text.encode()) // 4)


class Price:
    """The price of a model's tokens.

    Parameters
    ----------
    model
        `PROVIDER:NAME`.
    url
        Base URL, if it is not the provider's own; "": look the provider up by its name.
    per_million
        US dollars per million input and output tokens, from the user's settings.  None: look the price up in the data
        of the package genai-prices, never on the network; without the package, the price is unknown.
    """

    def __init__(self, model: str, url: str = "", per_million: tuple[float, float] | None = None) -> None:
        self._provider, _, self._name = model.partition(":")
        self._url = url
        self._per_million = per_million
        # A host without a public name has no known price, and the lookup would take 28 MB and 0.3 s.
        self._may_have_price = not url or bool(re.search(r"\.[a-z]", urlsplit(url).hostname or ""))

    def of(self, input_tokens: int, output_tokens: int, usage: Any = None) -> float | None:
        """Return the price of these tokens in US dollars; None if it is unknown.

        `usage` may hold more counts from the provider, such as input tokens in its own cache.

        >>> Price("openai:judge", per_million=(1.0, 10.0)).of(2_000_000, 100_000)
        3.0
        """
        if self._per_million:
            return (input_tokens * self._per_million[0] + output_tokens * self._per_million[1]) / 1e6
        if not self._may_have_price:
            return None
        try:
            from genai_prices import Usage, calc_price
        except ImportError:
            self._may_have_price = False
            return None
        counts = usage or Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        try:
            if self._url:
                return float(calc_price(counts, self._name, provider_api_url=self._url).total_price)
            provider = self._provider.removesuffix("-chat").removesuffix("-responses")
            return float(calc_price(counts, self._name, provider_id=provider).total_price)
        except LookupError:
            self._may_have_price = False  # a lookup in all providers takes longer than storing a reply
            return None
        except ValueError:  # usage that contradicts itself
            return None

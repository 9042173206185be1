"""What calls cost: tokens counted or estimated, and a model's price for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What calls cost.

    Attributes
    ----------
    calls, cached, wasted
        Answered and paid; answered from the cache for nothing; refused, lost or unusable, and so made again.
    input_tokens, output_tokens
        Of the calls made, unusable ones too: they are paid like others.
    cost
        US dollars; None where the price of a call is not known.
    """

    calls: int = 0
    cached: int = 0
    wasted: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Spent) -> Spent:
        """Add what two groups of calls cost; an unknown cost makes an unknown sum."""
        return self._combined(other, 1)

    def __sub__(self, earlier: Spent) -> Spent:
        """Return what was spent since an earlier count; an unknown cost makes an unknown difference.

        >>> (Spent(calls=5, cost=2.0) - Spent(calls=2, cost=0.5)).cost
        1.5
        """
        return self._combined(earlier, -1)

    def _combined(self, other: Spent, sign: int) -> Spent:
        known = self.cost is not None and other.cost is not None
        return Spent(
            calls=self.calls + sign * other.calls,
            cached=self.cached + sign * other.cached,
            wasted=self.wasted + sign * other.wasted,
            input_tokens=self.input_tokens + sign * other.input_tokens,
            output_tokens=self.output_tokens + sign * other.output_tokens,
            cost=(self.cost or 0.0) + sign * (other.cost or 0.0) if known else None,
        )

    def __str__(self) -> str:
        """Return the counts in a few words.

        >>> print(Spent(calls=1200, cached=3, cost=0.5))
        1,200 calls, 3 from the cache, $0.5000
        >>> print(Spent(calls=1, wasted=2, cost=None))
        1 call, 2 wasted, price not known
        """
        parts = [f"{self.calls:,} call{'s' * (self.calls != 1)}"]
        parts += [f"{self.cached:,} from the cache"] if self.cached else []
        parts += [f"{self.wasted:,} wasted"] if self.wasted else []
        return ", ".join([*parts, "price not known" if self.cost is None else f"${self.cost:.4f}"])

    def estimate(self) -> str:
        """Return the counts of a dry run in a few words.

        >>> Spent(calls=84, cached=3, input_tokens=170_300, output_tokens=20_100, cost=0.0391).estimate()
        'about 84 calls, 3 from the cache, $0.0391; 170,300 tokens in, 20,100 out'
        >>> Spent(cached=87).estimate(), Spent().estimate()
        ('nothing: all 87 replies are in the cache', 'nothing: there is no model to ask')
        """
        if not self.calls and not self.input_tokens:
            cached = f"all {self.cached:,} replies are in the cache" if self.cached else "there is no model to ask"
            return f"nothing: {cached}"
        return f"about {self}; {self.input_tokens:,} tokens in, {self.output_tokens:,} out"


def tokens(text: str) -> int:
    """About how many tokens a text has: a quarter of its UTF-8 bytes, rounded up.

    Nobody's vocabulary is needed for it, and it serves every script, since the letters of those that take more
    tokens take more bytes, too.  How far it is off depends on the model; what a provider counts is used wherever
    it says so.

    >>> tokens("The house has two floors."), tokens("")
    (7, 0)
    """
    return -(-len(text.encode()) // 4)


class Price:
    """What a model charges.

    Parameters
    ----------
    model
        `PROVIDER:NAME`.
    url
        Base URL, where it is not the provider's own; "" looks the provider up by its name.
    given
        US dollars per million tokens of input and of output, from the user's settings; None: as genai-prices knows
        it, from the data that it brings along, never from the network; without that package none is known.
    """

    def __init__(self, model: str, url: str = "", given: tuple[float, float] | None = None) -> None:
        self._provider, _, self._name = model.partition(":")
        self._url = url
        self._given = given
        # Of a machine without a public name nobody knows prices, and to look them up takes 28 MB and 0.3 s.
        self._known = not url or bool(re.search(r"\.[a-z]", urlsplit(url).hostname or ""))

    def of(self, input_tokens: int, output_tokens: int, usage: Any = None) -> float | None:
        """US dollars for so many tokens; None where the price is not known.

        `usage` may carry what a provider says beyond these two, such as input that it had in its own cache.

        >>> Price("openai:judge", given=(1.0, 10.0)).of(2_000_000, 100_000)
        3.0
        """
        if self._given:
            return (input_tokens * self._given[0] + output_tokens * self._given[1]) / 1e6
        if not self._known:
            return None
        try:
            from genai_prices import Usage, calc_price
        except ImportError:
            self._known = False
            return None
        asked = usage or Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        try:
            if self._url:
                return float(calc_price(asked, self._name, provider_api_url=self._url).total_price)
            provider = self._provider.removesuffix("-chat").removesuffix("-responses")
            return float(calc_price(asked, self._name, provider_id=provider).total_price)
        except LookupError:
            self._known = False  # looking through all providers takes longer than writing a reply down
            return None
        except ValueError:  # usage that contradicts itself
            return None

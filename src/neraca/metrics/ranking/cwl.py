"""CWL: the C/W/L frame, in which P, RBP, DCG, AP, RR, INST and more are one formula with different user models.

A user model gives C(i), the probability that a user who has seen the hit at rank i continues to the next one.  Three
numbers follow from C: V(i), the probability that the user sees the hit at rank i; W(i), the share of rank i in all that
the user sees; and L(i), the probability that rank i is the last one seen.  They give what a user gains and spends.  A
new user model is a function:

@user_model("Patient")                                          # CWL(Patient(p=0.95)) is now a metric
def patient(gains: Floats, *, p: float = 0.9) -> Floats:
    return np.full_like(gains, p)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.ranking.rbp import gain_of_hits, patience
from neraca.registry import Registry, Spec, bind
from neraca.stats.intervals.interval import Floats

#: The last rank to which users are followed, as in cwl_eval; deeper hits gain nothing.
DEPTH = 1000
#: Numbers in one matrix of a block of answers: 4 MB; about ten matrices are in memory at a time.
CELLS = 1 << 19

UserModel = Callable[..., Any]
F = TypeVar("F", bound=UserModel)
USER_MODELS: Registry[UserModel] = Registry("user model", "neraca.metrics")


def user_model(name: str) -> Callable[[F], F]:
    """Register a function as the user model `name`.

    The function gets the gains of the hits, shape (n, depth).  A gain is between 0 and 1, and 0 where there is no hit.
    The function returns the probabilities C, of the same shape, or of shape (1, depth) where they are the same for all
    answers.  It may return C and the costs of the hits (seconds, characters) as a tuple; the costs are one number or
    have the shape of C.  Without them a hit costs 1.  Keyword-only parameters become parameters of the model's name.

    >>> from neraca.metrics.ranking.example import ranking
    >>> @user_model("Coin")
    ... def coin(gains, *, p: float = 0.5):
    ...     return np.full_like(gains, p)
    >>> cwl(ranking([1, 0, 1]), model="Coin(p=0.5)").round(4)
    array([0.625])
    """

    def register(function: F) -> F:
        USER_MODELS.add(name, function, f"{function.__module__}.{function.__qualname__}")
        return function

    return register


def read_user(model: str) -> UserModel:
    """Return the user model of a name such as `RBP(p=0.8)`, with its parameters bound; raises `SpecError`.

    A name that ends in .json is a file of users that were fitted to a log: `Fitted(file=users.json)`.
    """
    if not isinstance(model, str):
        raise SpecError(f"CWL: the user model is a name such as RBP(p=0.8), not {model!r}")
    spec = Spec("Fitted", {"file": model}) if model.endswith(".json") else Spec.parse(model)
    function = USER_MODELS.get(spec.name)
    return partial(function, **bind(spec, function)[1])


def views(C: Floats) -> Floats:
    """V, the probability that the user sees each rank: V(1) = 1, V(i+1) = V(i) C(i); shapes (n, depth) -> (n, depth).

    >>> views(np.array([[0.5, 0.5, 0.0]]))
    array([[1.  , 0.5 , 0.25]])
    """
    V = np.ones_like(C)
    np.cumprod(C[:, :-1], axis=1, out=V[:, 1:])
    return V


def weights(C: Floats) -> Floats:
    """W, the share of each rank in all that the user sees: W(i) = V(i) / sum of V; shapes (n, depth) -> (n, depth).

    >>> weights(np.array([[1.0, 0.5, 0.0]]))
    array([[0.4, 0.4, 0.2]])
    """
    V = views(C)
    W: Floats = V / V.sum(axis=1, keepdims=True)
    return W


def stops(C: Floats) -> Floats:
    """L, the probability that each rank is the last one seen: L(i) = V(i) (1 - C(i)); shapes (n, depth) -> (n, depth).

    A row sums to 1 minus the probability that the user continues below the last rank.

    >>> stops(np.array([[1.0, 0.75, 0.0]]))
    array([[0.  , 0.25, 0.75]])
    """
    return views(C) * (1.0 - C)


#: The measurements of a user, each from V, the gains and the costs of the hits.
EXPECTED: dict[str, Callable[[Floats, Floats, Any], Floats]] = {
    "rate": lambda V, gain, cost: (V * gain).sum(axis=1) / V.sum(axis=1),
    "total": lambda V, gain, cost: (V * gain).sum(axis=1),
    "depth": lambda V, gain, cost: V.sum(axis=1),
    "cost": lambda V, gain, cost: (V * cost).sum(axis=1) / V.sum(axis=1),
    "total_cost": lambda V, gain, cost: (V * cost).sum(axis=1),
}


class OptimisticRanking(Ranking):
    """A ranking in which every unjudged hit, and every rank without a hit, counts as fully relevant."""

    @classmethod
    def of_ranking(cls, ranking: Ranking) -> Self:
        """Return the same ranking with this optimistic assumption."""
        judged = ranking.of_judged()
        return cls(**{field.name: getattr(judged, field.name) for field in fields(judged)})


def expected(
    ranking: Ranking, user: UserModel, of: str = "rate", *, at: int = 0, rel: float = 0, depth: int = DEPTH
) -> Floats:
    """Return the user's expectation of each answer, shape (n,); `user` has its parameters bound, see `cwl`.

    Answers are computed in blocks, so that the memory stays bounded however many there are.
    """
    if of not in EXPECTED:
        raise SpecError(f"CWL: of is {', '.join(EXPECTED)}, not {of!r}")
    if not (depth >= 1 and float(depth).is_integer()):
        raise SpecError(f"CWL: depth is a whole number of ranks from 1, not {depth!r}")
    reached = ranking.rank <= (min(at, depth) if at else depth)
    owner, place, gain = ranking.owner[reached], ranking.rank[reached] - 1, gain_of_hits(ranking, rel)[reached]
    unknown_gain = 1.0 if isinstance(ranking, OptimisticRanking) else 0.0
    values = np.empty(ranking.n)
    block = max(1, CELLS // int(depth))
    for first in range(0, ranking.n, block):
        rows = min(block, ranking.n - first)
        hits = slice(*np.searchsorted(owner, (first, first + rows)))
        gains = np.full((rows, int(depth)), unknown_gain)
        gains[owner[hits] - first, place[hits]] = gain[hits]
        C, cost = _continuation(user, gains)
        values[first : first + rows] = EXPECTED[of](views(C), gains, cost)
    return values


def _continuation(user: UserModel, gains: Floats) -> tuple[Floats, Any]:
    """Return C and the costs of a user model for these gains; raise `SpecError` if C is impossible."""
    result = user(gains)
    probabilities, cost = result if isinstance(result, tuple) else (result, 1.0)
    C: Floats = np.asarray(probabilities, dtype=np.float64)
    if C.shape not in (gains.shape, (1, gains.shape[1])) or not ((C >= 0) & (C <= 1)).all():
        name = getattr(user, "func", user).__name__
        raise SpecError(
            f"user model {name}: C must be probabilities between 0 and 1, of shape {gains.shape} or "
            f"{(1, gains.shape[1])}; it is of shape {C.shape}, from {C.min(initial=np.inf):g} to "
            f"{C.max(initial=-np.inf):g}"
        )
    return C, cost


@metric(
    "CWL",
    described={
        "of=rate": "The expected gain per document of the user of {model}.",
        "of=total": "The expected gain of the user of {model}.",
        "model": "The expected {of} of the user of {model}.",
    },
    high=math.inf,
    empty="expected",
    not_for="before its user model fits your users: its values are of that user alone",
)
def cwl(ranking: Ranking, *, model: str, of: str = "rate", at: int = 0, rel: float = 0, depth: int = DEPTH) -> Floats:
    r"""The expected gain or cost of a model's user: `CWL(INST(T=2))`, `CWL(DCG@10,of=total)`, `CWL(P@5,of=depth)`.

    $$ V(1) = 1, \quad V(i+1) = V(i)\,C(i), \quad W(i) = V(i) / \textstyle\sum_j V(j) $$

    C(i) is the model's probability of continuing after rank i.  $r_i$ is the gain and $c_i$ the cost of the hit at rank
    i.  `of` is one of

    - `rate`: gain per hit seen, $\sum_i W(i) r_i$, from 0 to 1;
    - `total`: total gain, $\sum_i V(i) r_i$;
    - `depth`: hits seen, $\sum_i V(i) = 1/W(1)$;
    - `cost` and `total_cost`: cost per hit seen, $\sum_i W(i) c_i$, and total cost, $\sum_i V(i) c_i$.

    Gains are as in `RBP`: the grade divided by the largest grade, or with `rel` above 0 it is 1 from this grade on.
    A hit costs 1 unless the model (TBG, UMeasure) says otherwise.  Hits below a cutoff `@k` gain nothing, but the user
    may still see them; the cutoff of a model, as in `CWL(P@10)`, stops the user there.  Users are followed for `depth`
    ranks; deeper hits gain nothing, and deeper ranks are in no sum.  The gain of an empty answer is 0.

    Models: P@k, RBP(p), DCG@k, AP, RR, INST(T), INSQ(T), BPM(T,K,hb,hc,middle), IFT(T,b1,R1,A,b2,R2),
    TBG(halflife,summary,read), UMeasure(L,length), NERR8@k, NERR9@k, NERR10(phi), NERR11(T), your own with
    `@user_model`, and the users of a log of clicks: `CWL(users.json)` with the file of `neraca clicks`.

    References
    ----------
    Moffat, A., Bailey, P., Scholer, F. and Thomas, P. (2017). ACM TOIS 35(3), 24:1-24:38; Azzopardi, L., Thomas, P.
    and Moffat, A. (2019). cwl_eval. SIGIR, 1321-1324; Moffat, A., Mackenzie, J., Thomas, P. and Azzopardi, L. (2022).
    A flexible framework for offline effectiveness metrics. SIGIR.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> cwl(ranking([1, 0, 1, 1]), model="P@5"), cwl(ranking([0, 1]), model="RR", of="depth")
    (array([0.6]), array([2.]))
    """
    return expected(ranking, read_user(model), of, at=at, rel=rel, depth=depth)


# users


def ranks(gains: Floats) -> Floats:
    """Return the ranks 1, 2, 3, ..., shape (1, depth)."""
    return np.arange(1.0, gains.shape[1] + 1.0)[None, :]


def _before(gains: Floats, at: int) -> Floats:
    """Return 1 above rank `at` and 0 from there on, shape (1, depth): the user goes down to this rank."""
    if at > gains.shape[1]:
        raise SpecError(f"CWL: a user who goes down to rank {at} needs depth={at} or more, not {gains.shape[1]}")
    return (ranks(gains) < at).astype(np.float64)


@user_model("P")
def precision_user(gains: Floats, *, at: int = 10) -> Floats:
    """Sees exactly the first k hits: the rate is precision at k."""
    return _before(gains, at)


@user_model("RBP")
def rbp_user(gains: Floats, *, p: float = 0.8) -> Floats:
    """Continues with probability p: the rate is rank-biased precision (Moffat and Zobel, 2008)."""
    return np.full((1, gains.shape[1]), patience(p))


@user_model("DCG")
def dcg_user(gains: Floats, *, at: int = 0) -> Floats:
    """C(i) = log2(i+1) / log2(i+2) before rank k: the total is DCG at k (Järvelin and Kekäläinen, 2002)."""
    rank = ranks(gains)
    C: Floats = np.log2(rank + 1.0) / np.log2(rank + 2.0)
    return C * _before(gains, at) if at else C


@user_model("AP")
def average_precision_user(gains: Floats) -> Floats:
    """Stops at rank i with a probability proportional to r_i / i: the rate is AP with R the relevant hits returned.

    C(i) is the sum of r_j / j over j > i, divided by the sum over j >= i.  So this user knows the hits below.
    """
    from_here = np.cumsum((gains / ranks(gains))[:, ::-1], axis=1)[:, ::-1]
    below = np.zeros_like(from_here)
    below[:, :-1] = from_here[:, 1:]
    C: Floats = below / np.where(from_here > 0, from_here, 1.0)
    return C


@user_model("RR")
def reciprocal_rank_user(gains: Floats) -> Floats:
    """Stops at the first hit that gains anything: the rate is reciprocal rank where gains are 0 or 1."""
    return np.where(gains == 0, 1.0, 0.0)


@user_model("NERR8")
def nerr8_user(gains: Floats, *, at: int = 10) -> Floats:
    """Stops with probability r_i, and at rank k: the user of ERR in this frame (Azzopardi et al., 2021)."""
    return (1.0 - gains) * _before(gains, at)


@user_model("NERR9")
def nerr9_user(gains: Floats, *, at: int = 10) -> Floats:
    """C(i) = (1 - r_i) i/(i+1) before rank k (Azzopardi et al., 2021, eq. 9)."""
    C: Floats = (1.0 - gains) * ranks(gains) / (ranks(gains) + 1.0) * _before(gains, at)
    return C


@user_model("NERR10")
def nerr10_user(gains: Floats, *, phi: float = 0.9) -> Floats:
    """C(i) = (1 - r_i) phi (Azzopardi et al., 2021, eq. 10)."""
    return (1.0 - gains) * phi


@user_model("NERR11")
def nerr11_user(gains: Floats, *, T: float = 1) -> Floats:
    """C(i) = (1 - r_i) ((i+2T-1) / (i+2T))^2 (Azzopardi et al., 2021, eq. 11)."""
    if not 0 < T < math.inf:
        raise SpecError(f"NERR11: T, the relevant hits wanted, is above 0, not {T:g}")
    C: Floats = (1.0 - gains) * ((ranks(gains) + 2.0 * T - 1.0) / (ranks(gains) + 2.0 * T)) ** 2
    return C

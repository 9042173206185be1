"""The records that all rooms share.  Read this file first.

A target is asked an `Item` and returns an `Answer` with `Hit`s.  A person or a judge that decides whether a part of the
answer is right writes a `Verdict`.  All records are frozen and convert to JSON.  When they are read from JSON, `Near`
and `Constraint` reject unknown keys, and the others ignore them.

Records hold only JSON values, which cannot form reference cycles.  Python's cyclic garbage collector therefore skips
them (`gc=False`); with some hundred thousand records it would take a third of the run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

import msgspec

from neraca.grades import UNJUDGED

Expects = Literal["results", "none"]
Status = Literal["complete", "suspect", "timeout", "refused", "error", "not_asked"]
VerdictStatus = Literal["decided", "not_applicable", "missing", "unscored", "withdrawn"]
ANSWER_STATUSES: Final[tuple[Status, ...]] = get_args(Status)
#: The tag of questions that nobody asked: what they were made from, such as `records`.
GENERATED: Final = "generated"
#: Tags of questions with variants: the name of the variant, and the id of the question that it is a variant of.
VARIANT: Final = "variant"
VARIANT_OF: Final = "variant_of"
#: The extra of a question with what its trace says of where it comes from; it is no part of the question.
FROM_TRACE: Final = "from_trace"
#: The target replied: there is an answer to read, which may be incomplete.
REPLIED: frozenset[str] = frozenset({"complete", "suspect"})
#: The target failed: the user got nothing, which counts as an empty answer.
FAILED: frozenset[str] = frozenset({"timeout", "refused", "error"})
#: Statuses that say nothing about the target, and the reason why such an answer is never scored.
LEFT_OUT: Final[Mapping[str, str]] = {
    "suspect": "suspect: the answer may not be whole",
    "not_asked": "not asked: Neraca or its browser failed, not the system",
}


class Near(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A circle on the map: degrees north, degrees east, radius in kilometres, and a `name` for people."""

    lat: float
    lng: float
    radius_km: float
    name: str = ""


class Constraint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A requirement on one attribute of a hit.

    A constraint may have several parts, which must all hold.  If it has both `contains_any` and `near`, one of the two
    is enough.

    Attributes
    ----------
    equals
        The required value, or a list of accepted values; text is compared without case and accents.
    synonyms
        Further texts that are accepted for `equals`.
    contains_any
        Words of which at least one must occur in the fields; compared without case and accents.
    near
        A circle that must contain the hit's `lat` and `lng`.
    min, max, exact
        Bounds of a number, or its exact value.
    about
        A number that must be matched within `tolerance` (default 0.1, a tenth).
    tolerance
        The relative deviation that `min`, `max`, `exact` and `about` allow.
    fields
        The fields of the hit to look in; default the one with the constraint's name.
    """

    equals: str | float | bool | list[str | float | bool] | None = None
    synonyms: list[str] = []
    contains_any: list[str] = []
    near: Near | None = None
    min: float | None = None
    max: float | None = None
    exact: float | None = None
    about: float | None = None
    tolerance: float | None = None
    fields: list[str] = []

    @property
    def asks(self) -> bool:
        """Whether it requires anything: `tolerance`, `synonyms` or `fields` alone do not, and get no verdict."""
        kinds = (self.equals, self.near, self.min, self.max, self.exact, self.about, self.contains_any or None)
        return any(kind is not None for kind in kinds)


class Item(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One question of a data set, with the properties of a good answer.

    Attributes
    ----------
    id
        The id, unique in the data set.
    query
        The question as the target gets it.
    session
        The session; its items are asked in file order inside one conversation.
    references
        Good answers in words.
    relevant
        Document id → grade; -1 is no grade: nobody judged that document.  None: nobody judged; {}: nothing is relevant.
    expects
        `results`, `none` (a good answer returns nothing), or None (undecided).
    constraints
        Attribute of a hit → the constraint on it.
    expected_calls
        Tool calls that a good answer makes.  None: unknown; (): none.
    tags
        Groups to report by, such as `category`.
    extra
        All other columns of the user's file, unchanged.
    """

    id: str
    query: str
    session: str | None = None
    references: tuple[str, ...] = ()
    relevant: Mapping[str, float] | None = None
    expects: Expects | None = None
    constraints: Mapping[str, Constraint] = {}
    expected_calls: tuple[Mapping[str, Any], ...] | None = None
    tags: Mapping[str, str] = {}
    extra: Mapping[str, Any] = {}

    @property
    def judged(self) -> bool:
        """Whether `relevant` says what is relevant: it is {}, or has a grade other than -1."""
        grades = self.relevant
        return grades is not None and (not grades or any(grade != UNJUDGED for grade in grades.values()))

    @property
    def expected(self) -> str:
        """The expected return, `results` or `none`, from `expects` or else `relevant`.

        It is "" (not known) without `expects`, if nobody judged a document.

        >>> [Item(id="1", query="rooms?", relevant=grades).expected for grades in ({"a": 1}, {"a": 0, "b": -1}, {})]
        ['results', 'none', 'none']
        >>> Item(id="1", query="rooms?", relevant={"a": -1}).expected
        ''
        """
        if self.expects is not None or not self.judged:
            return self.expects or ""
        return "results" if any(grade > 0 for grade in (self.relevant or {}).values()) else "none"


class Hit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One ranked result or retrieved context; its rank is its position in `Answer.hits`."""

    id: str
    text: str = ""
    score: float | None = None
    fields: Mapping[str, Any] = {}


#: Names under which systems report in `Answer.usage` what an answer cost, in US dollars.
COSTS = ("cost", "cost_usd", "total_cost", "usd", "dollars")


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The answer of a target to an item.

    Attributes
    ----------
    item, trial
        The id of the question, and its repetition, from 0.
    status
        `complete`; `timeout`, `refused` or `error` (the target failed: counts as an empty answer); `suspect` (perhaps
        incomplete) or `not_asked` (a failure of the browser, its driver or Neraca itself): unscored and counted.
    unknown_hits
        Why it is not known what was retrieved, as where a trace does not record it; `hits` is then empty.  "": `hits`
        are all that was returned.
    seconds, first_token_seconds
        Time of the successful attempt alone, without waits for a free slot or a retry.
    key
        Hash of target, item, trial and the earlier conversation; an answer is reused only under the same key.
    note
        A caution for readers ("an earlier question of this session failed").
    at
        Time of the answer, UTC, ISO 8601.
    """

    item: str
    trial: int = 0
    text: str = ""
    hits: tuple[Hit, ...] = ()
    unknown_hits: str = ""
    calls: tuple[Mapping[str, Any], ...] = ()
    seconds: float | None = None
    first_token_seconds: float | None = None
    usage: Mapping[str, float] = {}
    status: Status = "complete"
    error: str | None = None
    note: str = ""
    key: str = ""
    at: str = ""

    @property
    def replied(self) -> bool:
        """Whether there is an answer to read, whole or not: status `complete` or `suspect`."""
        return self.status in REPLIED

    @property
    def failed(self) -> bool:
        """Whether the target gave no answer, which counts as an empty one: status `timeout`, `refused` or `error`."""
        return self.status in FAILED

    @property
    def cost(self) -> float | None:
        """US dollars that the target reports in `usage`; None if it reports none."""
        return next((self.usage[name] for name in COSTS if name in self.usage), None)

    @property
    def left_out(self) -> str:
        """The reason why it is never scored, if it is `suspect` or `not_asked`; else ""."""
        return LEFT_OUT.get(self.status, "")


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A decision of a person, judge or rule on one aspect of an answer or item.

    Attributes
    ----------
    item, trial
        The id of the question and the trial of the answer that is judged.
    about
        The part that is judged: `answer`, `item` (the question itself), `hit:ID`, `claim:N`, `reference:N` or
        `question:N`; N counts from 1.  `session` is the whole conversation and `turn:N` its Nth turn; these verdicts
        stand on the last answer of the session.
    aspect
        The criterion: a constraint's name, `relevance`, `quality`, …; for an item, `expects` (1: a good answer has
        results).
    value
        1 pass (or True), 0 fail (or False), or a grade; None without a decision.
    status
        `decided`, or the kind of reason why there is no value: `not_applicable` (the criterion does not apply),
        `missing` (the answer or item lacks the data), `unscored` (the judge failed; the default without a value),
        `withdrawn` (this verdict revokes an earlier one).
    by
        The source: `rules`, `llm:MODEL#HASH` with the hash of the prompt, `human:NAME`, `embed:MODEL`
        (`embed:MODEL#JUDGE` for questions that this judge wrote), `phrases`, `clicks:HOW` or `qrels`.
    why
        The reason in words that a reader can check ("4.2 km from Cemara Asri, allowed 3 km"); no code reads it.
    caution
        The part of the judged text that reads like an order to the judge, which may have steered it; "" without one.
    of
        Hash of the judged answer, or conversation.  If it changes, the verdict no longer counts.  "": the verdict
        holds for any answer, as those written by hand do.
    """

    item: str
    about: str
    aspect: str
    by: str
    value: float | None = None
    status: VerdictStatus = "decided"
    trial: int = 0
    why: str = ""
    caution: str = ""
    of: str = ""
    at: str = ""

    def __post_init__(self) -> None:
        if self.value is None and self.status == "decided":
            msgspec.structs.force_setattr(self, "status", "unscored")
        elif self.value is True or self.value is False:  # JSON's true is no number, and could not be read again
            msgspec.structs.force_setattr(self, "value", float(self.value))
        if self.value is not None and self.status != "decided":
            raise ValueError(f"a verdict with a value is decided, not {self.status}")

    @property
    def reason(self) -> str:
        """`why`, preceded by the status if that is `not_applicable`, `missing` or `withdrawn`."""
        plain = self.status in ("decided", "unscored")
        return self.why if plain else f"{self.status.replace('_', ' ')}: {self.why}".rstrip(": ")

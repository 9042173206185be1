"""The records that every room speaks in.  Read this file first.

A target is asked an `Item` and gives an `Answer` with its `Hit`s; whoever decides that something in it is
right writes a `Verdict`.  All of them are frozen, know how to become JSON, and ignore what they do not know.
They hold nothing but JSON values, which cannot refer to each other in a circle, so Python's collector of circles
leaves them alone (`gc=False`): with some hundred thousand of them it would take a third of the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Expects = Literal["results", "none"]
Status = Literal["complete", "suspect", "timeout", "refused", "error"]
VerdictStatus = Literal["decided", "not_applicable", "missing", "unscored", "withdrawn"]
FAILED: frozenset[str] = frozenset({"timeout", "refused", "error"})


class Near(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A circle on the map: degrees north, degrees east, kilometres; `name` is for people."""

    lat: float
    lng: float
    radius_km: float
    name: str = ""


class Constraint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """What one attribute of a hit must be.

    Kinds combine: all that are given must hold, except that of `contains_any` and `near` either is enough.

    Attributes
    ----------
    equals
        The value, or a list of which any will do; text is compared without case and accents.
    synonyms
        Other words for `equals` that count as well.
    contains_any
        Words of which one must occur in the fields; case and accents folded.
    near
        The hit's `lat` and `lng` must lie in this circle.
    min, max, exact
        Bounds of a number, or the number itself.
    about
        A number to be near to: within `tolerance` (default 0.1, a tenth).
    tolerance
        A share by which `min`, `max`, `exact` and `about` may be missed.
    fields
        Where in the hit to look; default the constraint's own name.
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
        """Whether it asks for anything: a constraint of `tolerance`, `synonyms` or `fields` alone gets no verdict."""
        kinds = (self.equals, self.near, self.min, self.max, self.exact, self.about, self.contains_any or None)
        return any(kind is not None for kind in kinds)


class Item(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One question of a data set, with what a good answer is.

    Attributes
    ----------
    id
        Unique in the data set.
    query
        The question as the target gets it.
    session
        Items of one session are asked in file order inside one conversation.
    references
        Good answers in words.
    relevant
        Document id → grade.  None: nobody judged; {}: nothing is relevant.
    expects
        `results`, `none` (rightly answered by nothing), or None (undecided).
    constraints
        Attribute of a hit → what it must be.
    expected_calls
        Tool calls that a good answer makes.  None: nobody said; (): none.
    tags
        Groups to report by, such as `category`.
    extra
        Every other column of the user's file, kept as it was.
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
    def expected(self) -> str:
        """What a good answer returns: `results`, `none`, or "" where neither `expects` nor `relevant` says."""
        if self.expects is None and self.relevant is not None:
            return "results" if any(grade > 0 for grade in self.relevant.values()) else "none"
        return self.expects or ""


class Hit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One ranked result or retrieved context; its rank is its place in `Answer.hits`."""

    id: str
    text: str = ""
    score: float | None = None
    fields: Mapping[str, Any] = {}


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What a target returned for an item.

    Attributes
    ----------
    item, trial
        Which question, and which repetition of it, from 0.
    status
        `complete`; `suspect` (perhaps not whole: shown apart, never scored silently); `timeout`, `refused`, `error`.
    seconds, first_token_seconds
        Of the successful attempt alone; waiting for a place or for a retry does not count.
    key
        Hash of target, item, trial and the conversation before it; an answer is reused only under the same key.
    note
        What a reader must know to trust it ("an earlier question of this session failed").
    at
        When, UTC, ISO 8601.
    """

    item: str
    trial: int = 0
    text: str = ""
    hits: tuple[Hit, ...] = ()
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
    def failed(self) -> bool:
        """Whether the user got nothing: `timeout`, `refused` or `error`."""
        return self.status in FAILED


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Somebody's decision on one thing.

    Attributes
    ----------
    item, trial
        Which answer it is about.
    about
        `answer`, `item` (the question itself), `hit:ID`, `claim:N`, `reference:N` or `question:N`; N counts from 1.
    aspect
        What was decided: a constraint's name, `relevance`, `quality`, of an item `expects` (1: something should be
        found), …
    value
        1 pass, 0 fail, or a grade; None without a decision.
    status
        `decided`, or the kind of reason why there is no value: `not_applicable` (the question does not arise),
        `missing` (what is judged lacks the data), `unscored` (the judge failed; what a verdict without a value is
        taken for if it does not say), `withdrawn` (an earlier verdict in this place no longer holds).
    by
        `rules`, `llm:MODEL#HASH` with the hash of its prompt, `human:NAME`, `embed:MODEL` (`embed:MODEL#JUDGE` of
        questions that this judge wrote), `phrases`, `clicks:HOW` or `qrels`.
    why
        The reason in words that a reader can check ("4.2 km from Cemara Asri, allowed 3 km"); no code reads it.
    of
        Hash of the answer that was judged; when the question is answered otherwise, the verdict counts no more.
        "": holds for any answer, as where a person writes it by hand.
    """

    item: str
    about: str
    aspect: str
    by: str
    value: float | None = None
    status: VerdictStatus = "decided"
    trial: int = 0
    why: str = ""
    of: str = ""
    at: str = ""

    def __post_init__(self) -> None:
        if self.value is None and self.status == "decided":
            msgspec.structs.force_setattr(self, "status", "unscored")
        elif self.value is not None and self.status != "decided":
            raise ValueError(f"a verdict with a value is decided, not {self.status}")

    @property
    def reason(self) -> str:
        """`why`, with the kind of reason before it where the judge did not fail and still there is no value."""
        plain = self.status in ("decided", "unscored")
        return self.why if plain else f"{self.status.replace('_', ' ')}: {self.why}".rstrip(": ")

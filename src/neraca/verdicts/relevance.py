"""Relevance of documents, pooled from the verdicts on hits in all runs that are scored together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.errors import SpecError
from neraca.grades import UNJUDGED
from neraca.records import Item, Verdict
from neraca.registry import Spec
from neraca.runs.verdict_table import Ints, VerdictTable, combined, distinct, moments, numbered, times
from neraca.verdicts.effective import Effective, effective
from neraca.verdicts.grades import Grades
from neraca.verdicts.item_constraints import Constraints
from neraca.verdicts.raters import RELEVANCE, TOGETHER, Rule, Together, is_one_person, rule_of, said_in_two_ways
from neraca.verdicts.source import SOURCES, is_human, matches, precedence, source_of
from neraca.verdicts.undecided import ALL_RUNS, Decisions, Open, Place
from neraca.verdicts.votes import Votes

#: Relevance is pooled for items with about so many verdicts at once.
BLOCK = 250_000
Floats = NDArray[np.float64]
QRELS, RULES = SOURCES.index("qrels"), SOURCES.index("rules")


@dataclass(frozen=True)
class Relevance:
    """The relevance of documents, and the source that decides it.

    Attributes
    ----------
    source
        `auto` (the first of people, qrels, rules, LLM with an opinion on a hit; never clicks), or one of `human`,
        `qrels`, `rules`, `rules(missing=skip)`, `rules(at=0.8)`, `llm`, `clicks`, `human:NAME`, `llm:MODEL`; `auto`
        takes the parameters of `rules` too.
    grades
        Item id → document id → grade, over all runs that are scored together; unjudged items are missing.
    used
        Source → number of (item, document) pairs that it decided.
    rule
        The rule between raters: the chosen one, or `majority` if all values are yes or no, otherwise `median`.
    together
        Kind of source (`human`, `llm`) → joint decisions of its voters; undecided pairs count as unjudged.
    contradicted
        Pairs that stay undecided because a person gave several grades at the same time and nobody else decided.
    """

    source: str
    grades: Grades
    used: Mapping[str, int]
    rule: Rule = "median"
    together: Mapping[str, Together] = field(default_factory=dict)
    contradicted: Open = field(default_factory=dict)

    @property
    def several(self) -> int:
        """The number of pairs that several voters of one source decided together."""
        return sum(joint.places for joint in self.together.values())

    @property
    def undecided(self) -> int:
        """The number of pairs that stay undecided, because no grade has a majority."""
        return sum(joint.undecided for joint in self.together.values())

    @cached_property
    def top(self) -> float:
        """The largest grade given to any document of the collection; at least 1."""
        return max(1.0, self.grades.top)

    @cached_property
    def undecided_hits(self) -> Mapping[str, frozenset[str]]:
        """Item id → documents that stay undecided and count as unjudged."""
        hits: dict[str, set[str]] = {}
        for open_places in (*(joint.open for joint in self.together.values()), self.contradicted):
            for place in open_places:
                hits.setdefault(place.item, set()).add(place.about.removeprefix("hit:"))
        return {item: frozenset(docs) for item, docs in hits.items()}

    @property
    def skips_missing(self) -> bool:
        """Whether a constraint that could not be checked is left out; otherwise it counts as failed."""
        return _read_source(self.source)[1].skip

    @classmethod
    def of(
        cls,
        items: Iterable[Item],
        verdicts: Sequence[Iterable[Verdict]],
        source: str = "auto",
        combine: Rule | None = None,
        decisions: Decisions | None = None,
    ) -> Self:
        """Pool all opinions on the hits of these items.

        By rules, a hit is relevant if all of its constraints pass.  A constraint that could not be checked (the hit
        lacks the data, or they cannot be read) counts as failed.  With `rules(missing=skip)` it is left out, but at
        least one must be checked.  With `rules(at=0.8)` this share of the checked constraints must pass, with
        `rules(at=0.8,missing=fail)` this share of all.  If runs show different data of one document, it is relevant if
        the data of any run make it so.  A person's verdict on a constraint replaces that of the rule in all runs.
        Opinions of several people on one hit are combined as in `verdicts/raters.py`: the majority of yes and no, the
        lower median of grades.

        Parameters
        ----------
        items
            The items of the dataset.
        verdicts
            The verdicts on each run, oldest first; best as `VerdictTable`.
        source
            The source that counts; raise `SpecError` if it cannot be read.
        combine
            The rule between raters; None: chosen by the kind of their values.
        decisions
            Assumed grades of undecided hits; other hits stay undecided.
        """
        chosen, policy = _read_source(source)
        listed = items if isinstance(items, Sequence) else list(items)
        tables = [part if isinstance(part, VerdictTable) else VerdictTable.made(part) for part in verdicts]
        rule = rule_of(RELEVANCE, _voted(tables, chosen), combine)
        used: Counter[str] = Counter()
        votes = Votes(rule, decisions, guessed=not combine)

        def settled() -> Iterator[dict[str, dict[str, float]]]:
            for some, parts in _blocks(listed, [table.dated() for table in tables]):
                grades, decided = _Pool.of(parts, some).resolve(chosen, policy, votes)
                used.update(decided)
                yield grades

        grades = Grades.joined(settled())
        return cls(source, grades, used, rule, votes.together, votes.contradicted)

    def __str__(self) -> str:
        return ", ".join(f"{kind} ({n:,} hit{'' if n == 1 else 's'})" for kind, n in self.by_source) or "nobody"

    @property
    def by_source(self) -> list[tuple[str, int]]:
        """Each source that decided, highest precedence first, with its number of hits."""
        return [(kind, self.used[kind]) for kind in SOURCES if kind in self.used]


def _voted(tables: Sequence[VerdictTable], source: str) -> Floats:
    """Return people's values of relevance, or other sources' values if no person counts; shape (v,)."""
    values: dict[bool, list[Floats]] = {True: [np.zeros(0)], False: [np.zeros(0)]}
    for table in tables:
        on_relevance = table.aspect.isin([RELEVANCE])
        for people, several in values.items():
            by_source = table.by.where(lambda name: matches(name, source)) & (table.by.where(is_human) == people)
            several.append(table.value[on_relevance & by_source])
    by_people, by_others = (np.concatenate(several) for several in values.values())
    return by_people if len(by_people) else by_others


class _Policy(NamedTuple):
    """The rule for constraints: a hit is relevant if the share `at` passes; `skip` leaves unchecked ones out."""

    at: float = 1.0
    skip: bool = False


def _read_source(source: str) -> tuple[str, _Policy]:
    """Return the name of the source, "" for `auto`, and the policy of the rules."""
    spec = Spec.parse(source) if source.startswith(("rules", "auto")) else Spec(source)
    is_source = spec.name == "auto" or source_of(spec.name) in SOURCES
    takes = {"at", "missing"} if spec.name in ("auto", "rules") else set()
    if not is_source or spec.values or spec.params.keys() - takes:
        examples = "auto, human, qrels, rules, rules(missing=skip), rules(at=0.8), llm or clicks"
        raise SpecError(f"cannot read relevance {source!r}; it is {examples}")
    at, missing = spec.params.get("at"), spec.params.get("missing", "skip" if "at" in spec.params else "fail")
    if at is not None and (isinstance(at, str) or not 0 < at <= 1):
        raise SpecError(f"relevance {source!r}: at is a share above 0 and at most 1")
    if missing not in ("fail", "skip"):
        raise SpecError(f"relevance {source!r}: missing is fail or skip, not {missing!r}")
    return "" if spec.name == "auto" else spec.name, _Policy(1.0 if at is None else float(at), missing == "skip")


def _blocks(
    items: Sequence[Item], tables: Sequence[VerdictTable]
) -> Iterator[tuple[Sequence[Item], Sequence[VerdictTable]]]:
    """Yield blocks of items with their verdicts, to need little memory; no two items share a verdict."""
    size = max(1, len(items) * BLOCK // max(1, sum(map(len, tables))))
    if size >= len(items):
        yield items, tables
        return
    codes = [{name: code for code, name in enumerate(part.item.words)} for part in tables]
    for start in range(0, len(items), size):
        some = list(items[start : start + size])
        parts = []
        for part, code_of in zip(tables, codes, strict=True):
            chosen = np.zeros(len(code_of), dtype=bool)
            chosen[[code_of[item.id] for item in some if item.id in code_of]] = True
            parts.append(part.take(chosen[part.item.codes]).compact())
        yield some, parts


@dataclass(frozen=True)
class _Pool:
    """The verdicts of all runs on hits that bear on relevance, oldest first.

    Attributes
    ----------
    items
        The items of the dataset.
    constraints
        The constraints of the items.
    item, about, aspect, by, value
        As in `VerdictTable`, shape (n,).
    run
        Shape (n,): number of the run.
    place
        Shape (n,): number of the (item, document) pair.
    constraint
        Shape (n,): 2 if the aspect is a constraint of the item that requires something, 1 if it requires nothing, 0 if
        it is no constraint.
    contradicted
        Shape (n,): whether the same person gave the hit another grade at the same time, in another run.
    """

    items: Sequence[Item]
    constraints: Constraints
    item: Categorical
    about: Categorical
    aspect: Categorical
    by: Categorical
    value: Floats
    run: Ints
    moment: Ints
    place: Ints
    constraint: Ints
    contradicted: NDArray[np.bool_]

    @classmethod
    def of(cls, tables: Sequence[VerdictTable], items: Sequence[Item]) -> Self:
        """Collect the verdicts of each run on hits of these items that bear on relevance, oldest first."""
        ids, constraints = {item.id for item in items}, Constraints(items)
        chosen, kinds = [], []
        for table in tables:
            kind = constraints.kinds(table)
            graded = table.aspect.isin([RELEVANCE])
            chosen.append(np.flatnonzero(table.item.isin(ids) & table.on_hits & ((kind > 0) | graded)))
            kinds.append(kind[chosen[-1]])
        run = np.repeat(np.arange(len(tables)), list(map(len, chosen)))
        parts = list(zip(tables, chosen, strict=True))
        at = Categorical.joined([table.at.take(rows) for table, rows in parts])
        order = np.lexsort((run, times(at)))

        def words(name: str) -> Categorical:
            return Categorical.joined([getattr(table, name).take(rows) for table, rows in parts]).take(order)

        item, about = words("item"), words("about")
        place = numbered(item.codes.astype(np.int64) * max(1, len(about.words)) + about.codes)
        value = np.concatenate([np.zeros(0), *(table.value[rows] for table, rows in parts)])[order]
        constraint = np.concatenate([np.zeros(0, np.int64), *kinds])[order]
        aspect, by = words("aspect"), words("by")
        people = by.where(is_one_person)
        moment, run = moments(at)[order], run[order]
        rows = np.flatnonzero((constraint == 0) & people & ~np.isnan(value))
        contradicted, voter = np.zeros(len(order), dtype=bool), combined(place, by.codes, len(by.words))
        contradicted[rows] = said_in_two_ways(voter[rows], moment[rows], value[rows])
        return cls(items, constraints, item, about, aspect, by, value, run, moment, place, constraint, contradicted)

    def resolve(self, asked: str, policy: _Policy, votes: Votes) -> tuple[dict[str, dict[str, float]], Counter[str]]:
        """Return item → `hit:ID` → grade by the first source with an opinion, and the number of pairs by source.

        Joint decisions of several voters, and pairs that they left undecided, are noted in `votes`.
        """
        n = int(self.place.max(initial=-1)) + 1
        grade, rank, row = np.zeros(n), np.full(n, len(SOURCES) + 1), np.zeros(n, dtype=np.int64)
        row[self.place] = np.arange(len(self.place))
        single = ~self.by.isin([TOGETHER])
        rows = np.flatnonzero((self.constraint == 0) & single)
        value = np.where(self.contradicted, np.nan, self.value)
        voters, moment = self.by.take(rows), self.moment[rows]
        settled = effective(self.place[rows], value[rows], voters, votes.rule, asked=asked, moment=moment)
        self._note(votes, settled, rows)
        undecided = settled.place[np.isnan(settled.value)]
        ranks = np.array([precedence(name) for name in self.by.words], dtype=np.int64)
        grade[settled.place], rank[settled.place] = settled.value, ranks[self.by.codes[rows[settled.row]]]
        if asked in ("", "rules"):
            place, passes = self._by_rules(policy)
            first = rank[place] > RULES
            grade[place[first]], rank[place[first]] = passes[first], RULES
        if asked in ("", "human"):
            open_places = np.setdiff1d(self.place[self.contradicted], np.flatnonzero((rank == 0) & ~np.isnan(grade)))
            grade[open_places] = [votes.contradict(*self._two_words(place)) for place in open_places.tolist()]
            rank[open_places] = 0
            undecided = np.union1d(undecided, open_places[np.isnan(grade[open_places])])
        rank[undecided] = len(SOURCES) + 1  # no weaker source decides what people could not
        judged = np.flatnonzero(rank <= len(SOURCES))
        used = Counter((*SOURCES, "other")[code] for code in rank[judged].tolist())
        grades: dict[str, dict[str, float]] = {}
        ranked: dict[str, dict[str, int]] = {}
        labelled = {item.id for item in self.items if item.relevant}
        columns = self.item.codes[row[judged]], self.about.codes[row[judged]], grade[judged], rank[judged]
        for item, hit, value, source in zip(*(column.tolist() for column in columns), strict=True):
            name, about = self.item.words[item], self.about.words[hit]
            grades.setdefault(name, {})[about] = value
            if name in labelled:
                ranked.setdefault(name, {})[about] = source
        for place in undecided.tolist():  # nor do labels
            name = self.item.words[self.item.codes[row[place]]]
            ranked.setdefault(name, {})[self.about.words[self.about.codes[row[place]]]] = 0
        if asked in ("", "qrels"):
            self._add_labels(grades, ranked, used)
        return grades, +used  # without sources that were overruled in everything

    def _note(self, votes: Votes, settled: Effective, rows: Ints) -> None:
        """Note what several voters decided together, and take undecided pairs as they were decided elsewhere."""
        for number in np.flatnonzero(settled.votes > 1).tolist():
            row = int(rows[settled.row[number]])
            source = source_of(self.by[row])
            votes.count(source, int(settled.votes[number]))
            if number in settled.open:
                place = Place(ALL_RUNS, self.item[row], 0, self.about[row], RELEVANCE)
                settled.value[number] = votes.settle(source, place, settled.open[number])

    def _two_words(self, number: int) -> tuple[Place, tuple[float, ...]]:
        """Return a pair to which a person gave several grades at the same time, and these grades, ascending."""
        rows = np.flatnonzero((self.place == number) & self.contradicted)
        row = int(rows[0])
        place = Place(ALL_RUNS, self.item[row], 0, self.about[row], RELEVANCE)
        return place, tuple(np.unique(self.value[rows]).tolist())

    def _add_labels(
        self, grades: dict[str, dict[str, float]], ranked: Mapping[str, Mapping[str, int]], used: Counter[str]
    ) -> None:
        """Add the qrels that items carry, except where a person has an opinion."""
        for item in self.items:
            if not item.judged and item.id not in grades:  # documents of which each has the grade -1 are no judgment
                continue
            graded, sources = grades.setdefault(item.id, {}), ranked.get(item.id, {})
            for doc, label in (item.relevant or {}).items():
                about = f"hit:{doc}"
                earlier = sources.get(about)
                if label == UNJUDGED:
                    graded.setdefault(about, label)
                elif earlier is None or earlier >= QRELS:
                    graded[about] = label
                    used["qrels"] += 1
                    if earlier is not None:
                        used[(*SOURCES, "other")[earlier]] -= 1

    def _by_rules(self, policy: _Policy) -> tuple[Ints, Floats]:
        """Return the (item, document) pairs with a checked constraint, and 1 for each relevant pair, else 0."""
        rows, group, place = self._checked()
        order = np.argsort(group, kind="stable")
        rows, starts = rows[order], np.flatnonzero(np.diff(group[order], prepend=-1))
        if not len(rows):
            return place, np.zeros(0)
        value, place = self.value[rows], place[order][starts]
        passed = np.add.reduceat(np.clip(np.nan_to_num(value), 0.0, 1.0), starts)
        if policy.skip:
            whole = np.add.reduceat(~np.isnan(value) * 1, starts)
        else:
            required = np.array([self.constraints.asked.get(name, 0) for name in self.item.words])
            whole = required[self.item.codes[rows[starts]]] + np.add.reduceat((self.constraint[rows] == 1) * 1, starts)
        passes = (whole > 0) & (passed >= policy.at * whole)
        best = np.zeros(int(place.max()) + 1)
        np.maximum.at(best, place, passes * 1.0)
        places = distinct(place)
        return places, best[places]

    def _checked(self) -> tuple[Ints, Ints, Ints]:
        """Return the rows of effective checks, the group of each (one document in one run), and its place.

        A person's verdict on a constraint replaces all others in every group of the document, or is a group of its own.
        """
        aspect, runs = self.aspect, int(self.run.max(initial=0)) + 2
        by_hand = self.by.where(is_human)
        people = self._newest(np.flatnonzero((self.constraint > 0) & by_hand), self.place)
        group = self.place * runs + self.run
        rows = self._newest(np.flatnonzero((self.constraint > 0) & ~by_hand), group)
        groups = distinct(group[rows])
        key = combined(self.place, aspect.codes, len(aspect.words))
        rows = rows[~np.isin(key[rows], key[people])]
        first, last = (np.searchsorted(groups // runs, self.place[people], side) for side in ("left", "right"))
        several = np.maximum(last - first, 1)
        repeated = np.repeat(people, several)
        within = np.arange(len(repeated)) - np.repeat(np.cumsum(several) - several, several) + np.repeat(first, several)
        alone = np.repeat(first == last, several)
        groups_by_hand = self.place[repeated] * runs + runs - 1
        groups_by_hand[~alone] = groups[within[~alone]]
        groups = np.concatenate([group[rows], groups_by_hand])
        rows = np.concatenate([rows, repeated])
        return rows, groups, self.place[rows]

    def _newest(self, rows: Ints, place: Ints) -> Ints:
        """Return the effective rows, one for each aspect in each place."""
        key = combined(place, self.aspect.codes, len(self.aspect.words))[rows]
        return rows[effective(key, self.value[rows], self.by.take(rows)).row]

"""The source that counts for relevance, for what questions expect, and for everything else, if one is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neraca.runs.verdict_table import VerdictTable
from neraca.verdicts.expected import on_expects
from neraca.verdicts.raters import EXPECTS, RELEVANCE
from neraca.verdicts.source import matches, source_of

AUTO = "auto"


@dataclass(frozen=True)
class Selection:
    """The source whose verdicts count.

    Attributes
    ----------
    by
        In metrics of verdicts; "": the first source that has an opinion.
    relevance
        On the relevance of hits, as in `Relevance.of`.
    expects
        On what questions expect; "": the first source that has an opinion.
    other_people
        Whether the word of other people than `by` counts on relevance.
    silent
        On what `by` gave no verdict although others did, so that these count: `relevance`, `expects`.
    """

    by: str = ""
    relevance: str = AUTO
    expects: str = ""
    other_people: bool = True
    silent: tuple[str, ...] = ()

    @classmethod
    def of(cls, tables: Sequence[VerdictTable], by: str = "", relevance: str = AUTO) -> Selection:
        """Let whoever is named by `by` decide on relevance and `expects` too, unless `relevance` names another source.

        A judge that gave no verdict on them leaves them to those who did.  A person leaves them to other sources, and
        not to other people, since one table must not rest on two sets of people.
        """
        if not by:
            return cls(by, relevance)
        person, silent = source_of(by) == "human", []
        chosen, expects = relevance, by
        if relevance == AUTO:
            if any(_decided_on_hits(table, by) for table in tables):
                chosen = by
            elif any(_decided_on_hits(table, "") for table in tables):
                silent.append(RELEVANCE)
        asked_of = [set(on_expects(table).by.words) for table in tables]
        if not person and not any(matches(name, by) for names in asked_of for name in names):
            expects = ""
            if any(asked_of):
                silent.append(EXPECTS)
        return cls(by, chosen, expects, not (person and relevance == AUTO), tuple(silent))

    def on_relevance(self, tables: Sequence[VerdictTable]) -> list[VerdictTable]:
        """Return the verdicts that may count on relevance."""
        if self.other_people or all(source_of(name) != "human" for table in tables for name in table.by.words):
            return list(tables)
        keeps = [[source_of(name) != "human" or matches(name, self.by) for name in table.by.words] for table in tables]
        return [
            table if all(keep) else table.take(table.by.where(keep)) for table, keep in zip(tables, keeps, strict=True)
        ]


def _decided_on_hits(table: VerdictTable, by: str) -> bool:
    """Return whether a source decided whether hits are relevant; rules decide it by constraints."""
    on_hits = table.about.where([name.startswith("hit:") for name in table.about.words])
    by_source = table.by.where([matches(name, by) for name in table.by.words])
    graded = table.aspect.where([name == RELEVANCE for name in table.aspect.words])
    by_rules = table.by.where([source_of(name) == "rules" for name in table.by.words])
    return bool((on_hits & by_source & (graded | by_rules)).any())

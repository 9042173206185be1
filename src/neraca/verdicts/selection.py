"""The source that counts for relevance, for what questions expect, and for everything else, if one is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neraca.runs.verdict_table import VerdictTable
from neraca.verdicts.expected import on_expects
from neraca.verdicts.raters import EXPECTS, RELEVANCE
from neraca.verdicts.source import is_human, matches, source_of

AUTO = "auto"


@dataclass(frozen=True)
class Selection:
    """The source whose verdicts count.

    Attributes
    ----------
    by
        The source in metrics of verdicts; "": the first source with an opinion.
    relevance
        The source for the relevance of hits, as in `Relevance.of`.
    expects
        The source for what questions expect; "": the first source with an opinion.
    other_people
        Whether verdicts of people other than `by` count on relevance.
    silent
        The kinds of verdict that `by` did not give although others did, so these count: `relevance`, `expects`.
    """

    by: str = ""
    relevance: str = AUTO
    expects: str = ""
    other_people: bool = True
    silent: tuple[str, ...] = ()

    @classmethod
    def of(cls, tables: Sequence[VerdictTable], by: str = "", relevance: str = AUTO) -> Selection:
        """Let the source `by` decide on relevance and `expects` too, unless `relevance` names another source.

        If `by` is a judge that gave no verdict on them, other sources decide.  If it is a person, other sources decide,
        but not other people, because one table must not mix two sets of people.
        """
        if not by:
            return cls(by, relevance)
        person, silent = is_human(by), []
        chosen, expects = relevance, by
        if relevance == AUTO:
            if any(_decided_on_hits(table, by) for table in tables):
                chosen = by
            elif any(_decided_on_hits(table, "") for table in tables):
                silent.append(RELEVANCE)
        sources = [set(on_expects(table).by.words) for table in tables]
        if not person and not any(matches(name, by) for names in sources for name in names):
            expects = ""
            if any(sources):
                silent.append(EXPECTS)
        return cls(by, chosen, expects, not (person and relevance == AUTO), tuple(silent))

    def on_relevance(self, tables: Sequence[VerdictTable]) -> list[VerdictTable]:
        """Return the verdicts that may count on relevance."""
        if self.other_people or all(not is_human(name) for table in tables for name in table.by.words):
            return list(tables)
        masks = [table.by.where(lambda name: not is_human(name) or matches(name, self.by)) for table in tables]
        return [table if mask.all() else table.take(mask) for table, mask in zip(tables, masks, strict=True)]


def _decided_on_hits(table: VerdictTable, by: str) -> bool:
    """Return whether a source decided whether hits are relevant; rules decide it by constraints."""
    by_source = table.by.where(lambda name: matches(name, by))
    by_rules = table.by.where(lambda name: source_of(name) == "rules")
    return bool((table.on_hits & by_source & (table.aspect.isin([RELEVANCE]) | by_rules)).any())

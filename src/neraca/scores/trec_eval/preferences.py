"""Preference measures by trec_eval's names: ours, counts, and shares with as many nonrelevant documents as relevant."""

from __future__ import annotations

import math

import numpy as np

from neraca.datasets.trec.preference_file import Lists, PreferenceFile
from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import RankedJudgments
from neraca.errors import InputError
from neraca.metrics.ranking.preferences import Group, Preferences, RankedGroups, Tally
from neraca.scores.trec import trec_metrics
from neraca.stats.intervals.interval import Floats


def preferences_of(file: PreferenceFile, qrels: Qrels, judged: RankedJudgments) -> Preferences:
    """Order the documents of each query as in the run, with missing documents last; raise `InputError`."""
    ends = np.cumsum(qrels.lengths)
    rankings = []
    for row, query in enumerate(qrels.queries):
        documents = qrels.documents[ends[row] - qrels.lengths[row] : ends[row]]
        returned = [qrels.documents[place] for place in judged.place[judged.owner == row].tolist()]
        order = [*returned, *sorted(set(documents) - set(returned))]
        number = {document: place for place, document in enumerate(order)}
        groups = [
            _group(lists, number, f"{file.source}: query {query!r}, group {name!r}")
            for name, lists in sorted(file.groups[query].items())
        ]
        rankings.append(RankedGroups(groups, len(returned)))
    return Preferences(rankings, [""] * len(rankings))


def _group(lists: Lists, number: dict[str, int], place: str) -> Group:
    levels = []
    for _, level_by_document in sorted(lists.items()):
        level = np.full(len(number), np.nan)
        for document, value in level_by_document.items():
            level[number[document]] = value
        levels.append(level)
    group = Group(tuple(levels))
    if len(levels) > 1:
        above = np.stack(levels) > 0
        is_graded = ~np.isnan(np.stack(levels))
        if ((above.any(axis=0)) & (is_graded & ~above).any(axis=0)).any():
            raise InputError(
                f"{place}: a document has the level 0, which is not relevant, in one list and more in another"
            )
        prefers = group.prefers()
        if (prefers & prefers.T).any():
            raise InputError(
                f"{place}: its lists contradict each other: of two documents each is preferred to the other"
            )
    return group


def preference_values(preferences: Preferences, name: str) -> Floats:
    """Return the values of a measure for each query, by trec_eval's name."""
    if name.startswith("prefs_avgjg_Rnonrel"):
        return np.array([_as_many_nonrelevant(ranked, name.endswith("_ret")) for ranked in preferences.rankings])
    if name.startswith("prefs_num_prefs"):
        count_name = name.removeprefix("prefs_num_prefs_")
        return np.array(
            [sum(_preference_count(tally, count_name) for tally in tallies) for tallies in preferences.tallies]
        )
    [metric] = trec_metrics(name)
    values: Floats = metric(preferences)
    return values


def _preference_count(tally: Tally, count_name: str) -> float:
    respected, preferences = tally.among("both" if count_name == "ful_ret" else "all")
    return preferences if count_name == "poss" else respected


def _as_many_nonrelevant(ranked: RankedGroups, only_returned: bool) -> float:
    """Return the mean share of preferences respected over groups, with as many nonrelevant documents as relevant.

    Missing nonrelevant documents are added at the end; of too many, only the first ones count.
    """
    total = math.fsum(_group_share(group, ranked.returned, only_returned) for group in ranked.groups)
    return total / len(ranked.groups) if total > 0 else 0.0  # NaN in one group makes the sum NaN


def _group_share(group: Group, returned: int, only_returned: bool) -> float:
    level = group.level
    relevant, nonrelevant = level > 0, level <= 0
    R, R_returned = float(relevant.sum()), float(relevant[:returned].sum())
    looked_at = slice(returned if only_returned else None)
    enough, N = float(relevant[looked_at].sum()), float(nonrelevant[looked_at].sum())
    if enough >= N:
        respected, preferences = group.tally(returned).among("both" if only_returned else "all")
        respected, preferences = respected + R_returned * (enough - N), preferences + R * (enough - N)
    elif len(group.levels) > 1:
        first = np.cumsum(nonrelevant) <= R
        counted_documents = np.flatnonzero(~nonrelevant | first)
        counted_documents = counted_documents[counted_documents < returned] if only_returned else counted_documents
        prefers = group.prefers()[np.ix_(counted_documents, counted_documents)]
        respected, preferences = Tally.of(prefers, int((counted_documents < returned).sum())).among(
            "both" if only_returned else "all"
        )
    else:
        respected, preferences = _tally_one_list(level[looked_at], returned, int(enough))
    return respected / preferences if preferences else math.nan


def _tally_one_list(level: Floats, returned: int, enough: int) -> tuple[float, float]:
    """Return the numbers of preferences respected and known, with only the first nonrelevant documents.

    As in trec_eval, each nonrelevant document is also compared with all documents of its own level.
    """
    listed = np.flatnonzero(~np.isnan(level))
    lowest = level[listed].min()
    higher = np.where(level > lowest, level, np.nan)
    respected, preferences = Group((higher,)).tally(returned).among("all")
    first = listed[level[listed] == lowest][:enough]
    below = np.searchsorted(listed, np.minimum(first, returned))
    return respected + float(below.sum()), preferences + float(len(listed) * len(first))

"""Sources of a pool: rankings of runs, their questions, and judgments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from msgspec.structs import replace

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError
from neraca.people.pool_run import is_pool
from neraca.records import Hit, Item
from neraca.runs.run import Run
from neraca.scores.sources.ranked_lists import Rankings, top_of_source
from neraca.scores.sources.run_names import is_run
from neraca.scores.sources.runs import check_same_questions
from neraca.scores.sources.trec_sources import SHOWN, named_sources, read_qrels, read_topics
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.raters import Rule
from neraca.verdicts.relevance import Relevance
from neraca.verdicts.several_qrels import CombinedQrels, combine_qrels


@dataclass(frozen=True, kw_only=True)
class PoolSources:
    """Runs side by side.

    Attributes
    ----------
    rankings
        Name of a run, or of a trial of it → question → documents, best first.
    items
        Question → its record.
    relevance
        The judgments, with their sources.
    qrels
        The judgments of all files of qrels, combined.
    hits
        (question, document) → the hit of a run, with the text of the document if a run has it.
    folders, pools
        The run folders among the runs, without pools; and the pools, of which only the verdicts count.
    """

    rankings: Mapping[str, Rankings]
    items: Mapping[str, Item]
    relevance: Relevance
    qrels: CombinedQrels
    hits: Mapping[tuple[str, str], Hit]
    folders: Sequence[Run]
    pools: Sequence[Run]


def read_pool_sources(
    runs: Any,
    depth: int,
    qrels: Sequence[Any] = (),
    topics: Any = None,
    relevance: str = "auto",
    whole_names: bool = False,
    combine: Rule | None = None,
) -> PoolSources:
    """Read runs down to a depth, and all judgments.

    Parameters
    ----------
    runs
        As in `trec`.
    depth
        The lowest rank that is read.
    qrels
        Judgments, as in `trec`; several are combined like the verdicts of several people.  The grade -1 is no judgment.
    topics
        A data set, or its path, with the questions of TREC runs.
    relevance
        The source that counts; see `Relevance`.
    whole_names
        Whether files keep the ending that all share: for what is drawn or stored by the names of runs.
    combine
        The rule for documents that several qrels judge; None: see `combine_qrels`.

    Raises
    ------
    InputError
        For files that cannot be read, run folders of different questions, and qrels that judge none of the questions.
    """
    sources = named_sources(runs, whole_names)
    run_folders = [source for _, source in sources if is_run(source)]
    folders = [run for run in run_folders if not is_pool(run)]
    pools = [run for run in run_folders if is_pool(run)]
    if folders:
        check_same_questions(folders)
    rankings, hits = _rankings(sources, depth)
    items = _items(rankings.values(), [*folders, *pools], topics)
    combined = _combined(qrels, items, combine)
    labelled = _with_judgments(items, combined)
    pooled = Relevance.of(labelled.values(), [current_verdicts(run) for run in run_folders], relevance)
    return PoolSources(
        rankings=rankings,
        items=labelled,
        relevance=pooled,
        qrels=combined,
        hits=hits,
        folders=folders,
        pools=pools,
    )


def _rankings(sources: Sequence[tuple[str, Any]], depth: int) -> tuple[dict[str, Rankings], dict[tuple[str, str], Hit]]:
    """Return the rankings of runs down to a depth, and the hits of run folders; raise `InputError` without a run."""
    rankings: dict[str, Rankings] = {}
    hits: dict[tuple[str, str], Hit] = {}
    for name, source in sources:
        if not is_run(source):
            rankings[name] = top_of_source(name, source, depth)
        elif not is_pool(source):
            rankings |= _rankings_of_folder(name, source, depth, hits)
    if not rankings:
        raise InputError("there is no run whose documents could be pooled; name the runs beside the pool")
    return rankings, hits


def _rankings_of_folder(name: str, run: Run, depth: int, hits: dict[tuple[str, str], Hit]) -> dict[str, Rankings]:
    """Return the rankings of each trial of a run folder; add its hits on documents without a text to `hits`."""
    rankings: dict[str, dict[str, list[str]]] = {}
    for (item, trial), answer in run.answers().items():
        title = f"{name} (trial {trial + 1})" if trial else name
        top_hits = answer.hits[:depth] if answer.replied else []
        rankings.setdefault(title, {})[item] = [hit.id for hit in top_hits]
        for hit in top_hits:
            earlier_hit = hits.get((item, hit.id))
            if earlier_hit is None or (hit.text and not earlier_hit.text):
                hits[item, hit.id] = hit
    return dict(rankings)


def _items(rankings: Iterable[Rankings], runs: Sequence[Run], topics: Any) -> dict[str, Item]:
    """Return the questions of topics and run folders; for other ranked questions an item with only an id."""
    item_by_id: dict[str, Item] = {}
    if topics is not None:
        item_by_id |= (topics if isinstance(topics, Dataset) else read_topics(topics)).by_id
    for run in runs:
        for item in run.items:
            item_by_id.setdefault(item.id, item)
    questions = dict.fromkeys(question for ranking in rankings for question in ranking)
    if topics is not None and not any(question in item_by_id for question in questions):
        ranked_questions, dataset_questions = (
            ", ".join(map(repr, islice(names, SHOWN))) for names in (questions, item_by_id)
        )
        raise InputError(
            f"{topics}: it has no question of the runs: it has {dataset_questions}, the runs {ranked_questions}"
        )
    in_order = [question for question in item_by_id if question in questions]
    return {question: item_by_id.get(question) or Item(id=question, query="") for question in (*in_order, *questions)}


def _combined(qrels: Sequence[Any], items: Mapping[str, Item], combine: Rule | None) -> CombinedQrels:
    """Read and combine judgments; raise `InputError` if one of them judges none of the questions."""
    judgments = [read_qrels(source) for source in qrels]
    for judged in judgments:
        judged.relevant(items, "the runs")
    return combine_qrels(judgments, combine)


def _with_judgments(items: Mapping[str, Item], qrels: CombinedQrels) -> dict[str, Item]:
    """Return the questions with the grades of qrels, which replace those that the questions have themselves."""
    labelled = dict(items)
    for question, grades in qrels.grades.items():
        if question in items:
            undecided = qrels.undecided.get(question, ())
            own_grades = labelled[question].relevant or {}
            own = {document: grade for document, grade in own_grades.items() if document not in undecided}
            labelled[question] = replace(labelled[question], relevant={**own, **grades})
    return labelled

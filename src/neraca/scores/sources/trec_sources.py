"""Sources of qrels and runs: files, folders, mappings, data frames and run folders."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neraca.datasets.beir_qrels import read_qrels as read_qrels_file
from neraca.datasets.trec.file_encoding import table_encoding
from neraca.datasets.trec.line_blocks import RUN, line_blocks
from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import RankedJudgments
from neraca.datasets.trec.run_file import read_run_file
from neraca.errors import InputError
from neraca.scores.sources.run_names import distinct_names, is_run, path_of, with_name, without_endings

if TYPE_CHECKING:
    from neraca.datasets.dataset import Dataset

#: Queries that a message names.
SHOWN = 3
_RUNS = "a run is a path, a mapping from queries to documents to scores, a data frame or a run folder"


def read_qrels(source: Any) -> Qrels:
    """Read judgments from a path, mapping or data frame, as in `trec`.  Raise `InputError` for other sources."""
    if isinstance(source, str | os.PathLike):
        return read_qrels_file(path_of(source))
    if isinstance(source, Mapping):
        source = Qrels.of_mapping(source)
    elif hasattr(source := _collect(source), "columns"):
        from neraca.datasets.trec.data_frames import read_qrels_frame

        source = read_qrels_frame(source)
    if not isinstance(source, Qrels):
        raise InputError(f"qrels are a path, a mapping or a data frame, not {type(source).__name__}")
    return source


def read_topics(path: str | os.PathLike[str]) -> Dataset:
    """Read questions in the encoding of `files_in`, or in UTF-8 if the file has it; raise `InputError`."""
    from neraca.datasets.read_dataset import read_dataset

    return read_dataset(path_of(path), encoding=table_encoding(path_of(path)))


def columns_of_topics(topics: Any, queries: Sequence[str]) -> dict[str, Callable[[], Any]]:
    """Return questions, tags and sessions of these queries as columns; raise `InputError` if no query has a topic."""
    from neraca.categorical import Categorical
    from neraca.datasets.dataset import Dataset
    from neraca.records import Item
    from neraca.scores.unit import clusters_of

    item_by_id = (topics if isinstance(topics, Dataset) else read_topics(topics)).by_id
    if not any(query in item_by_id for query in queries):
        topic_ids, judged = (", ".join(map(repr, islice(names, SHOWN))) for names in (item_by_id, queries))
        raise InputError(f"{topics}: it has no judged query: it has {topic_ids}, the qrels {judged}")
    items = [item_by_id.get(query) or Item(id=query, query="") for query in queries]
    names = dict.fromkeys(name for item in items for name in item.tags)
    return {
        "item_records": lambda: items,
        "tags": lambda: {name: Categorical.of(item.tags.get(name, "") for item in items) for name in names},
        "clusters": lambda: clusters_of(item.session for item in items),
    }


def read_run(name: str, source: Any, qrels: Qrels, single: bool = False) -> RankedJudgments:
    """Return the judged hits of a run from a source of `named_sources`; raise `InputError` for an invalid run."""
    if isinstance(source, Path):
        return read_run_file(source, qrels, single)
    from neraca.datasets.trec.data_frames import read_run_frame  # slow to import, and not needed for files
    from neraca.datasets.trec.run_mapping import read_rankings, read_run_mapping

    if is_run(source):
        return read_rankings(_rankings(source), qrels)
    try:
        if isinstance(source, Mapping):
            _check_run(source)
            return read_run_mapping(source, qrels, single)
        if hasattr(source := _collect(source), "columns"):
            return read_run_frame(source, qrels, single)
    except InputError as error:
        raise InputError(f"{name}: {str(error).removeprefix('run: ')}") from error
    except TypeError as error:  # from a document of a mapping that `_check_run` did not check
        raise InputError(f"{name}: ids are texts and scores are numbers: {error}") from error
    raise InputError(f"{name}: {_RUNS}, not {type(source).__name__}")


def left_out_queries(source: Any) -> dict[str, str]:
    """Return query → reason for the queries of a run folder whose (first) answer is never scored."""
    if not is_run(source):
        return {}
    firsts = ((item, answer.left_out) for (item, trial), answer in source.answers().items() if not trial)
    return {item: why for item, why in firsts if why}


def queries_of(source: Any) -> Collection[str]:
    """Return the queries of a readable run (the first ones of a long file), for messages."""
    if isinstance(source, Path):
        _, columns = next(line_blocks(source)).columns(RUN)
        return dict.fromkeys(columns[0])
    if isinstance(source, Mapping):
        return source
    if is_run(source):
        return _rankings(source)
    from neraca.datasets.trec.data_frames import column_of

    return dict.fromkeys(column_of(_collect(source), "query", "run").to_list())


def named_sources(runs: Any, whole_names: bool = False) -> list[tuple[str, Any]]:
    """Return (name, source) of each run, with distinct names and opened run folders; `bm25=runs/a.run` names a run.

    Names of files lack their ending (`run_names.without_endings`); with `whole_names` they keep it.  Raise `InputError`
    without a run, or if two have the same name.
    """
    if isinstance(runs, Mapping) and not _is_single_run(runs):
        pairs = [(str(name), _open(run)) for name, run in runs.items()]
    else:
        run_list = list(runs) if isinstance(runs, list | tuple | Iterator) else [runs]
        named = list(map(with_name, run_list))
        sources = [_open(source) for _, source in named]
        unnamed = [source for (name, _), source in zip(named, sources, strict=True) if not name]
        file_names = distinct_names(unnamed)
        others = {name for name, _ in named}
        usual_names = iter(file_names if whole_names else without_endings(file_names, unnamed, others))
        names = [name or next(usual_names) for name, _ in named]
        if repeated := [name for name, n in Counter(names).items() if n > 1]:
            raise InputError(f"two runs are called {repeated[0]!r}; give each a name of its own")
        pairs = list(zip(names, sources, strict=True))
    if not pairs:
        raise InputError("there is no run to score; name at least one")
    return pairs


def _open(source: Any) -> Any:
    """Return the `Run` at a path, or the `Path` if it is no run folder; any other source unchanged."""
    if not isinstance(source, str | os.PathLike):
        return source
    path = path_of(source)
    if not (path / "manifest.json").is_file():
        return path
    from neraca.runs.run import Run

    return Run(path)


def _collect(source: Any) -> Any:
    """Return a lazy frame of polars as a data frame; any other source unchanged."""
    return source.collect() if type(source).__name__ == "LazyFrame" else source


def _is_single_run(runs: Mapping[Any, Any]) -> bool:
    """Return whether this is query → document → score, and not a mapping from names to runs."""
    inner = [value for value in runs.values() if isinstance(value, Mapping)]
    scored = any(value and not isinstance(next(iter(value.values())), Mapping) for value in inner)
    return scored or (0 < len(inner) == len(runs) and not any(inner))


def _check_run(run: Mapping[Any, Any]) -> None:
    """Raise `InputError` if this is not query → document → score, or if ids are no texts: 1 is not "1".

    Only the first document of each query is checked, because there may be many.
    """
    for query, docs in run.items():
        if not isinstance(docs, Mapping):
            raise InputError(f"query {query!r} has {docs!r:.80}; document → score is needed there")
        if not isinstance(query, str):
            raise InputError(f"query {query!r}: ids are texts, not {type(query).__name__}")
        doc = next(iter(docs), "")
        if not isinstance(doc, str):
            raise InputError(f"query {query!r}, document {doc!r}: ids are texts, not {type(doc).__name__}")


def _rankings(run: Any) -> dict[str, list[str]]:
    """Return item → documents, best first, of the first trial; a failed answer counts as an empty one."""
    return {
        item: [] if answer.failed else [hit.id for hit in answer.hits]
        for (item, trial), answer in run.answers().items()
        if not trial
    }

"""Sources of qrels and runs, and names of runs: files, folders, mappings, data frames, the answers of a run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from neraca.datasets.beir_qrels import read_qrels as read_qrels_file
from neraca.datasets.trec.line_blocks import RUN, line_blocks
from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import RankedJudgments
from neraca.datasets.trec.run_file import read_run_file
from neraca.errors import InputError

#: Queries that a message names.
SHOWN = 3
_RUNS = "a run is a path, a mapping from queries to documents to scores, a data frame or a run folder"


def read_qrels(source: Any) -> Qrels:
    """Judgments from whatever holds them; see `neraca.scores.trec.trec`.  Raises `InputError`."""
    if isinstance(source, str | os.PathLike):
        return read_qrels_file(_path(source))
    if isinstance(source, Mapping):
        source = Qrels.of_mapping(source)
    elif hasattr(source := _collected(source), "columns"):
        from neraca.datasets.trec.data_frames import read_qrels_frame

        source = read_qrels_frame(source)
    if not isinstance(source, Qrels):
        raise InputError(f"qrels are a path, a mapping or a data frame, not {type(source).__name__}")
    return source


def columns_of_topics(topics: Any, queries: Sequence[str]) -> dict[str, Callable[[], Any]]:
    """Questions, tags and sessions of these queries, as columns; raises `InputError` where it has none of them."""
    from neraca.categorical import Categorical
    from neraca.datasets.dataset import Dataset
    from neraca.datasets.read_dataset import read_dataset
    from neraca.records import Item
    from neraca.scores.unit import clusters_of

    item_by_id = (topics if isinstance(topics, Dataset) else read_dataset(topics)).by_id
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
    """The judged hits of a run from what `named` gave; raises `InputError`."""
    if isinstance(source, Path):
        return read_run_file(source, qrels, single)
    from neraca.datasets.trec.data_frames import read_run_frame  # files, which are read in no time, need neither
    from neraca.datasets.trec.run_mapping import read_rankings, read_run_mapping

    if is_run(source):
        return read_rankings(_rankings(source), qrels)
    try:
        if isinstance(source, Mapping):
            _check_run(source)
            return read_run_mapping(source, qrels, single)
        if hasattr(source := _collected(source), "columns"):
            return read_run_frame(source, qrels, single)
    except InputError as error:
        raise InputError(f"{name}: {str(error).removeprefix('run: ')}") from error
    except TypeError as error:  # in a mapping of which not every document was looked at
        raise InputError(f"{name}: ids are texts and scores are numbers: {error}") from error
    raise InputError(f"{name}: {_RUNS}, not {type(source).__name__}")


def is_run(source: Any) -> bool:
    """Whether this is a `Run`; does not import what opening one takes."""
    return hasattr(source, "manifest") and hasattr(source, "answers")


def suspects(source: Any) -> set[str]:
    """The queries of a run folder whose (first) answer may not be whole."""
    if not is_run(source):
        return set()
    return {item for (item, trial), answer in source.answers().items() if not trial and answer.status == "suspect"}


def queries_of(source: Any) -> Collection[str]:
    """The queries of a run that could be read (of a long file the first ones), for messages."""
    if isinstance(source, Path):
        _, columns = next(line_blocks(source)).columns(RUN)
        return dict.fromkeys(columns[0])
    if isinstance(source, Mapping):
        return source
    if is_run(source):
        return _rankings(source)
    from neraca.datasets.trec.data_frames import column_of

    return dict.fromkeys(column_of(_collected(source), "query", "run").to_list())


def named(runs: Any) -> list[tuple[str, Any]]:
    """The runs with names, of which no two are equal; paths of run folders are opened.  Raises `InputError`."""
    if isinstance(runs, Mapping) and not _is_one(runs):
        pairs = [(str(name), _opened(run)) for name, run in runs.items()]
    else:
        each = list(runs) if isinstance(runs, list | tuple | Iterator) else [runs]
        sources = list(map(_opened, each))
        pairs = list(zip(_names(sources), sources, strict=True))
    if not pairs:
        raise InputError("there is no run to score; name at least one")
    return pairs


def _opened(source: Any) -> Any:
    """A path as `Path`, or as the `Run` that is there; anything else as it is."""
    if not isinstance(source, str | os.PathLike):
        return source
    path = _path(source)
    if not (path / "manifest.json").is_file():
        return path
    from neraca.runs.run import Run

    return Run(path)


def _path(source: str | os.PathLike[str]) -> Path:
    if "\n" in str(source):  # it would be a very long name of a file
        raise InputError(f"give the path of a file, not its text: {str(source)[:40]!r}…")
    return Path(source)


def _collected(source: Any) -> Any:
    """A lazy frame of polars as a frame."""
    return source.collect() if type(source).__name__ == "LazyFrame" else source


def _names(sources: list[Any]) -> list[str]:
    """A file's name with as many of its folders as it takes to tell it from the others; equal names get a number."""
    parts = [_parts(source) for source in sources]
    depth = [1] * len(parts)
    while True:
        names = ["/".join(part[-deep:]) for part, deep in zip(parts, depth, strict=True)]
        several = Counter(names)
        short = [n for n, name in enumerate(names) if several[name] > 1 and depth[n] < len(parts[n])]
        if not short:
            break
        for number in short:
            depth[number] += 1
    used_names, distinct = set(several), []
    for name in names:
        if several[name] > 1:
            name = next(
                new for n in range(1, len(names) + len(used_names) + 1) if (new := f"{name} {n}") not in used_names
            )
            used_names.add(name)
        distinct.append(name)
    return distinct


def _parts(source: Any) -> tuple[str, ...]:
    path = source.path.resolve() if is_run(source) else source
    return path.absolute().parts[1:] if isinstance(path, Path) else ("run",)


def _is_one(runs: Mapping[Any, Any]) -> bool:
    """Whether this is query → document → score, and not a mapping from names to runs."""
    inner = [value for value in runs.values() if isinstance(value, Mapping)]
    scored = any(value and not isinstance(next(iter(value.values())), Mapping) for value in inner)
    return scored or (0 < len(inner) == len(runs) and not any(inner))


def _check_run(run: Mapping[Any, Any]) -> None:
    """Raise `InputError` where it is not query → document → score, or where ids are no texts: 1 is not "1".

    Of the documents, of which there may be many, the first of each query is looked at.
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
    """Item → documents, best first, of the first trial; a failed answer is an empty one."""
    return {
        item: [] if answer.failed else [hit.id for hit in answer.hits]
        for (item, trial), answer in run.answers().items()
        if not trial
    }

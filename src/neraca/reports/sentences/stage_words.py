"""Words for each stage of a system: its task, the meaning of a weakness, and remedies."""

from __future__ import annotations

from neraca.scores.stages import Stages
from neraca.translation import say

WHAT = {
    "knowledge": "what the knowledge base has",
    "finding": "what is found",
    "ranking": "the order of what is found",
    "grounding": "how answers keep to what was found",
    "answering": "how answers are made of what was found",
}
#: Stage → the meaning of a weakness, and remedies.
MEANS = {
    "knowledge": "Part of what the references say is in no document of the knowledge base.",
    "finding": "Part of what the references say is in none of the contexts.",
    "ranking": "Contexts that do not help stand before those that do, or none helps.",
    "grounding": "Answers say what none of their contexts says.",
    "answering": "Everything was found, and the answers still differ from the references.",
}
_RETRIEVE = (
    "other embeddings, words and vectors together, rewriting the query (above all of follow-up questions), more results"
)
MEND = {
    "knowledge": (
        "Add documents that say it; no other retrieval and no other prompt helps on these questions. Where the system "
        "is not to know it, let the reference say so."
    ),
    "finding": (
        "First look whether the knowledge base has it (the judge corpus can tell); if not, add it. If it does: "
        "{retrieve}."
    ),
    "ranking": "Re-rank the results, cut documents into other chunks, filter by what the question asks, return fewer.",
    "grounding": (
        "Tell the prompt to say only what the contexts say, and to say so where they do not have it; lower the "
        "temperature; try another model."
    ),
    "answering": "Change the prompt (show it a good answer), lower the temperature, try another model.",
}


#: Meaning and remedies of a weak retrieval stage if the knowledge base was searched.
MEANS_THERE = "Part of what the references say is in the knowledge base, and in none of the contexts."
MEND_THERE = "What may help: {retrieve}."
#: Stage → the questions at which it is examined, if not at all of them.
WHERE = {
    "finding": " where the knowledge base has all that the reference says",
    "answering": " where the contexts have all that the reference says",
}


def task_of(stage: str) -> str:
    """Return the task of a stage in words."""
    return say(WHAT[stage])


def where_knowledge_is(stages: Stages) -> str:
    """Return an addition on the knowledge base if it was searched, or ""."""
    return say(" (from what the knowledge base has, where that lacks as much)") if stages.of("knowledge") else ""


def means(stages: Stages, stage: str) -> str:
    """Return the meaning of a weak stage."""
    return say(MEANS_THERE if stage == "finding" and stages.of("knowledge") else MEANS[stage])


def mend(stages: Stages, stage: str) -> str:
    """Return the remedies for a stage."""
    text = MEND_THERE if stage == "finding" and stages.of("knowledge") else MEND[stage]
    return say(text, retrieve=say(_RETRIEVE))

"""KnowledgeRetention, Consistency, RoleAdherence, SessionGoalReached: verdicts on whole conversations."""

from __future__ import annotations

import numpy as np

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on
from neraca.metrics.rag.session_mean import mean_of_sessions
from neraca.metrics.scorable import Scorable
from neraca.records import Verdict
from neraca.runs.session_contents import SESSION, TURN
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.judge_verdicts import JudgedAnswers

NO_TURNS = "no turn of its conversation was decided on"


def session_rows(verdicts: JudgeVerdicts) -> list[list[int]]:
    """Return the rows of each conversation, in order; an answer without a session is a conversation by itself."""
    rows: dict[tuple[str | None, int, int], list[int]] = {}
    items, trials = verdicts.part.column("items"), verdicts.part.column("trial", 0)
    for row, (item, trial) in enumerate(zip(items, trials, strict=True)):
        alone = row if item.session is None else -1
        rows.setdefault((item.session, alone, int(trial)), []).append(row)
    return list(rows.values())


def verdicts_beside(part: Scorable, row: int, hits: bool = True) -> list[Verdict]:
    """Return the verdicts to show beside an answer: those on it, and those on it as a turn of its conversation.

    Verdicts on turns stand on the last answer of the conversation; here each stands at its turn.

    >>> from neraca.metrics.rag.example import conversation
    >>> part = conversation("remembers", 0, turns=[1, 0], length=3).part
    >>> [[verdict.about for verdict in verdicts_beside(part, row)] for row in range(3)]
    [[], ['turn:2'], ['session', 'turn:3']]
    """
    verdicts: AnswerVerdicts = part.column("verdicts")
    if SESSION not in verdicts.table.about.words:
        return verdicts.on(row, hits)
    rows_of = part.once(
        verdicts_beside, lambda: {row: rows for rows in session_rows(part.view(JudgeVerdicts)) for row in rows}
    )
    own = [verdict for verdict in verdicts.on(row, hits) if not verdict.about.startswith(TURN)]
    about = f"{TURN}{rows_of[row].index(row) + 1}"
    return own + [verdict for verdict in verdicts.on(rows_of[row][-1], hits=False) if verdict.about == about]


def by_session(verdicts: JudgeVerdicts, aspect: str, by: str = "", *, share: bool = False) -> Reasoned:
    """Return for each answer the value of its conversation, and the weight with which it counts, shape (n, 2).

    The weights of a conversation's answers add up to 1, so that each conversation counts once, whatever its length.
    The verdict stands on the last answer.  With `share`, the value is the share of the turns that keep to the aspect.
    """
    judged = verdicts.of_judge([aspect], by)
    decisions = judged.on_answers(aspect, SESSION)
    shares = _shares(judged, aspect) if share else {}
    values, why = np.full((verdicts.part.n, 2), np.nan), [""] * verdicts.part.n
    for rows in session_rows(verdicts):
        decision = decisions[rows[-1]]
        value = None if decision is None else decision.value
        reason = "" if value is not None else judged.reason(decision, judged.silent(f"its conversation: {aspect}"))
        if share and not reason:
            value = shares.get(rows[-1])
            reason = "" if value is not None else NO_TURNS
        for row in rows:
            why[row] = reason
            values[row] = np.nan if value is None else (value / len(rows), 1 / len(rows))
    return Reasoned(values, why)


def _shares(judged: JudgedAnswers, aspect: str) -> dict[int, float]:
    """Return row of a conversation's last answer → the share of its decided turns that keep to the aspect."""
    shares: dict[int, float] = {}
    for row, decisions in enumerate(judged):
        turns = [
            decision.value
            for (about, of_aspect), decision in decisions.items()
            if about.startswith(TURN) and of_aspect == aspect and decision.value is not None
        ]
        if turns:
            shares[row] = sum(turns) / len(turns)
    return shares


@metric(
    "KnowledgeRetention",
    total=mean_of_sessions,
    not_for="alone: an answer that says nothing forgets nothing; `SessionGoalReached`",
    described={"share=True": "Mean share of a conversation's turns whose answer keeps to what the user said before."},
    judge="remembers",
)
@judged_on("remembers")
def knowledge_retention(verdicts: JudgeVerdicts, *, by: str = "", share: bool = False) -> Reasoned:
    r"""Share of conversations in which every answer keeps to what the user said before.

    $$ \frac{1}{s} \sum_{i=1}^{s} v_i $$

    with $v_i$ the verdict on conversation i, of s that are scored.  0 to 1.  Each conversation counts once, and each of
    its answers has its value; an answer without a session is a conversation of one turn.
    With `share=true`, $v_i$ is the share of its judged turns that keep to it; the first
    turn has nothing to keep to.
    Unscored, with the reason, if the judge failed or nobody judged.  People come before judges; `by` names one of
    several judges.

    References
    ----------
    deepeval, KnowledgeRetentionMetric: with `share=true`, of the turns that can forget something.

    Examples
    --------
    >>> from neraca.metrics.rag.example import conversation
    >>> view = conversation("remembers", 0, turns=[1, 1, 0, 1])
    >>> [mean_of_sessions(knowledge_retention(view, share=share).values.sum(axis=0)) for share in (False, True)]
    [array(0.), array(0.75)]
    """
    return by_session(verdicts, "remembers", by, share=share)


@metric(
    "Consistency",
    total=mean_of_sessions,
    not_for="as a sign of truth: answers may agree and all be wrong; `Faithfulness`",
    described={"share=True": "Mean share of a conversation's turns whose answer contradicts no earlier one."},
    judge="consistent",
)
@judged_on("consistent")
def consistency(verdicts: JudgeVerdicts, *, by: str = "", share: bool = False) -> Reasoned:
    r"""Share of conversations in which no answer contradicts an earlier one.

    $$ \frac{1}{s} \sum_{i=1}^{s} v_i $$

    with $v_i$ the verdict on conversation i, of s that are scored.  0 to 1.  Each conversation counts once, and each of
    its answers has its value; an answer without a session is a conversation of one turn.
    With `share=true`, $v_i$ is the share of its judged turns that keep to it; of two
    answers the later one counts as broken.
    Unscored, with the reason, if the judge failed or nobody judged.  People come before judges; `by` names one of
    several judges.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import conversation
    >>> view = conversation("consistent", 0, turns=[1, 1, 0, 1])
    >>> [mean_of_sessions(consistency(view, share=share).values.sum(axis=0)) for share in (False, True)]
    [array(0.), array(0.75)]
    """
    return by_session(verdicts, "consistent", by, share=share)


@metric(
    "RoleAdherence",
    total=mean_of_sessions,
    not_for="to compare systems with different roles: each is held to its own",
    described={"share=True": "Mean share of a conversation's turns whose answer stays in the role and its topics."},
    judge="stays",
)
@judged_on("stays")
def role_adherence(verdicts: JudgeVerdicts, *, by: str = "", share: bool = False) -> Reasoned:
    r"""Share of conversations in which every answer stays in the role of the system and its topics.

    $$ \frac{1}{s} \sum_{i=1}^{s} v_i $$

    with $v_i$ the verdict on conversation i, of s that are scored.  0 to 1.  Each conversation counts once, and each of
    its answers has its value; an answer without a session is a conversation of one turn.
    With `share=true`, $v_i$ is the share of its judged turns that keep to it; the role
    is a setting of the judge.
    Unscored, with the reason, if the judge failed or nobody judged.  People come before judges; `by` names one of
    several judges.

    References
    ----------
    deepeval, RoleAdherenceMetric: with `share=true`.

    Examples
    --------
    >>> from neraca.metrics.rag.example import conversation
    >>> view = conversation("stays", 0, turns=[1, 1, 0, 1])
    >>> [mean_of_sessions(role_adherence(view, share=share).values.sum(axis=0)) for share in (False, True)]
    [array(0.), array(0.75)]
    """
    return by_session(verdicts, "stays", by, share=share)


@metric(
    "SessionGoalReached",
    total=mean_of_sessions,
    not_for="for tool calls and single answers; `GoalReached`",
    judge="resolves",
)
@judged_on("resolves")
def session_goal_reached(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Share of conversations at whose end the user has reached the goal.

    $$ \frac{1}{s} \sum_{i=1}^{s} v_i $$

    with $v_i$ the verdict on conversation i, of s that are scored.  0 to 1.  Each conversation counts once, and each of
    its answers has its value; an answer without a session is a conversation of one turn.
    If no turn of it has an answer, the judge gives 0.
    Unscored, with the reason, if the judge failed or nobody judged.  People come before judges; `by` names one of
    several judges.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import conversation
    >>> mean_of_sessions(session_goal_reached(conversation("resolves", 1)).values.sum(axis=0))
    array(1.)
    """
    return by_session(verdicts, "resolves", by)

"""The section of a report on those who judged: only what two of them decided, with the numbers of `neraca agree`."""

import pytest
from drawn import to_html, to_markdown

from neraca import Answer, Item, Verdict, report, score
from neraca.metaeval.agreement import agreement, items_by_unit
from neraca.number_format import percent_span
from neraca.reports.blocks.judges import SHOWN, section
from neraca.reports.sentences.reasons import rule_reason
from neraca.translation import written_in

ITEMS = [Item(id=str(n), query=f"question {n}", references=["a"]) for n in range(4)]
ANSWERS = [Answer(item=item.id, text="a") for item in ITEMS]


def verdicts_by(by, values, aspect="valid"):
    return [
        Verdict(item=str(n), about="answer", aspect=aspect, by=by, value=float(v), why="so")
        for n, v in enumerate(values)
    ]


@pytest.fixture
def judged(folder):
    """Scores of one run with these verdicts."""
    return lambda *verdicts: score([folder("run", ITEMS, ANSWERS, [v for part in verdicts for v in part])], "TokenF1")


def test_agreement_stands_in_the_report(judged):
    """Half of the chance by 0.75 × 0.5 + 0.25 × 0.5: kappa is (0.75 - 0.5) / 0.5."""
    scores = judged(
        verdicts_by("llm:a#1", [1, 1, 0, 1]),
        verdicts_by("human:ana", [1, 1, 0, 0]),
        verdicts_by("llm:a#1", [5, 1, 2, 3], "style"),
    )
    found = section(scores)
    ((aspect, judges, agree, kappa, *_),) = found.tables[0].rows
    assert (aspect, judges, agree[:4], kappa[:4]) == ("valid", "human:ana and llm:a", "75 %", "0.50")
    title = found.tables[1].title
    assert (title, found.tables[1].rows) == (
        "Where they differ most (1 of 1)",
        [["valid", "3: question 3", "run", "human:ana 0 (so); llm:a 1 (so)"]],
    )
    text = to_markdown(report(scores))
    assert "## Judges and people" in text
    assert "human:ana and llm:a agree on 75 % of 4 answers" in text
    assert "style" not in "".join(found.sentences)
    assert "Judges and people" in to_html(report(scores))


def test_the_reasons_of_rules_are_in_the_language_of_the_report(judged):
    ruled = Verdict(item="0", about="answer", aspect="type", by="rules", value=1.0, why="type is flat, as wanted")
    said = Verdict(item="0", about="answer", aspect="type", by="human:ana", value=0.0, why="no flat, as wanted")
    with written_in("id"):
        found = section(judged([ruled, said]))
        assert found.tables[-1].rows[0][-1] == f"ana 0 (no flat, as wanted); aturan 1 ({rule_reason(ruled.why)})"
        assert rule_reason(ruled.why) != ruled.why


def test_with_one_judge_the_section_says_what_would_fill_it(judged):
    scores = judged(verdicts_by("llm:a", [1, 1, 0, 1]))
    assert section(scores) is None
    assert "- Judges and people: No two judges" in to_markdown(report(scores))


def test_of_many_aspects_those_most_compared_are_told(judged):
    many = [
        part
        for n in range(5)
        for by in ("llm:a", "llm:b")
        for part in [verdicts_by(by, [1, 0, 1, 0][: n % 4 + 1], f"a{n}")]
    ]
    found = section(judged(*many))
    assert len(found.tables[0].rows) == 5
    assert "These are the 3 of 5 aspects on which most was compared." in found.sentences


def test_the_widest_differences_are_shown_first(judged):
    first, second = [n % 2 for n in range(4)], [1 - n % 2 for n in range(4)]
    aspects = [f"a{n}" for n in range(4)]
    parts = [part for a in aspects for part in (verdicts_by("llm:a", first, a), verdicts_by("llm:b", second, a))]
    found = section(judged(*parts))
    assert len(found.tables[-1].rows) == SHOWN
    assert found.tables[-1].title == f"Where they differ most ({SHOWN} of 16)"


def test_what_people_decide_together_is_no_rater(judged):
    """Ana and Budi agree on 2 of 4, by chance 0.75 × 0.5 + 0.25 × 0.5; their mean is nobody's own opinion."""
    scores = judged(verdicts_by("human:ana", [1, 1, 0, 0]), verdicts_by("human:budi", [1, 1, 1, 1]))
    section_of_people = section(scores)
    ((aspect, judges, agree, kappa, *_),) = section_of_people.tables[0].rows
    assert (aspect, judges, agree[:4], kappa[:4]) == ("valid", "human:ana and human:budi", "50 %", "0.00")
    assert [row[3] for row in section_of_people.tables[1].rows] == ["human:ana 0 (so); human:budi 1 (so)"] * 2
    assert "human:all raters" not in "".join(section_of_people.sentences)


def test_one_person_and_what_others_said_together_make_no_agreement(judged):
    tone = verdicts_by("human:ana", [1, 0, 0, 0], "tone") + verdicts_by("human:ana", [1, 0, 0, 0], "tone")
    assert section(judged(tone)) is None


@pytest.mark.parametrize("unit", ["session", "question", "block"])
def test_intervals_resample_the_unit_of_the_scores(folder, unit):
    """The same as `neraca agree --unit`: 12 questions in 2 sessions and 6 blocks, judged alike in each session."""
    items = [
        Item(id=str(n), query="q", session=f"s{n // 6}", tags={"block": f"b{n // 2}"}, references=["a"])
        for n in range(12)
    ]
    by_ana, by_model = [1, 0] * 6, [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1]
    answers = [Answer(item=item.id, text="a") for item in items]
    verdicts = [*verdicts_by("human:ana", by_ana), *verdicts_by("llm:a", by_model)]
    found = section(score([folder("run", items, answers, verdicts)], "TokenF1", unit=unit))
    ((_, _, agree, *_),) = found.tables[0].rows
    _, numbered = items_by_unit(items, unit)
    (expected,) = agreement(numbered, verdicts)
    interval = percent_span(expected.agreement.low, expected.agreement.high)
    assert bool(interval) is (unit != "session")
    assert agree == (f"67 % ({interval})" if interval else "67 %")

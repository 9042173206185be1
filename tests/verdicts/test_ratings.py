"""Which answers wait for a person, and which people may be one."""

import pytest
from builders import make_run

from neraca.records import Answer, Item, Verdict
from neraca.runs.run import content_of
from neraca.verdicts.ratings import same_ratings, unrated


def test_a_decision_of_a_person_on_todays_answer_or_a_hit_of_it_is_a_rating(tmp_path):
    items = [Item(id=name, query="?") for name in ("answer", "hit", "judge", "nothing", "old", "failed", "unasked")]
    answers = [Answer(item=one.id, text="x") for one in items[:5]] + [Answer(item="failed", status="error")]
    today = content_of(answers[0])
    verdicts = [
        Verdict(item="answer", about="answer", aspect="quality", by="human:Ana", value=1, of=today),
        Verdict(item="hit", about="hit:d", aspect="relevance", by="human:Ana", value=0),
        Verdict(item="judge", about="answer", aspect="quality", by="llm:m", value=1),
        Verdict(item="nothing", about="answer", aspect="quality", by="human:Ana", status="unscored"),
        Verdict(item="old", about="answer", aspect="quality", by="human:Ana", value=1, of="another"),
    ]
    run = make_run(tmp_path / "run", items, answers)
    with run.writing():
        run.add_verdicts(verdicts)
    assert unrated(run) == [("judge", 0), ("nothing", 0), ("old", 0)]


@pytest.mark.parametrize(
    ("values", "others", "pairs"),
    [
        ([1] * 5, [1] * 5, [("Ani", "ani", 5)]),
        ([1] * 4, [1] * 4, []),
        ([1] * 5, [1] * 4 + [0], []),
        ([1] * 20, [1] * 21, [("Ani", "ani", 20)]),
        ([1] * 21, [1] * 20, [("ani", "Ani", 20)]),
        ([1] * 19, [1] * 20, []),
        ([1] * 20, [1] * 19 + [0, 1], []),
        ([1] * 5, [1] * 5 + [None], [("Ani", "ani", 5)]),
    ],
)
def test_people_whose_verdicts_are_all_among_those_of_another_may_be_one(tmp_path, values, others, pairs):
    """None: the person gave a verdict and withdrew it."""
    items = [Item(id=f"q{n}", query="?") for n in range(25)]
    run = make_run(tmp_path / "run", items, [Answer(item=item.id, text="x") for item in items])
    verdicts = []
    for name, of_person in (("Ani", values), ("ani", others)):
        for n, value in enumerate(of_person):
            verdict = {"item": f"q{n}", "about": "answer", "aspect": "quality", "by": f"human:{name}"}
            verdicts.append(Verdict(**verdict, value=0 if value is None else value))
            if value is None:
                verdicts.append(Verdict(**verdict, status="withdrawn"))
    with run.writing():
        run.add_verdicts(verdicts)
    assert same_ratings([run.verdicts()]) == pairs

"""Which answers wait for a person."""

from builders import make_run

from neraca.records import Answer, Item, Verdict
from neraca.runs.run import content_of
from neraca.verdicts.ratings import unrated


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

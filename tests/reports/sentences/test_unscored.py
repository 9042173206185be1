"""The reasons why items are unscored, with how many of which runs."""

from builders import make_run

from neraca.records import Answer, Item, Verdict
from neraca.reports.sentences.unscored import why_unscored
from neraca.scores.score import score
from neraca.translation import written_in

ITEMS = [Item(id=str(n), query="?", references=("yes",)) for n in range(6)]


def judged(folder, name, failures):
    """A run whose answers of these items the judge left undecided, each for a reason."""
    verdicts = [
        Verdict(
            item=item.id,
            about="answer",
            aspect=aspect,
            by="llm:m#abcdef",
            value=None if item.id in failures else 1.0,
            status="unscored" if item.id in failures else "decided",
            why=failures.get(item.id, "so"),
        )
        for item in ITEMS
        for aspect in ("valid", "supported")
    ]
    return make_run(folder / name, ITEMS, [Answer(item=item.id, text="yes") for item in ITEMS], verdicts)


def test_items_count_once_for_a_reason_however_many_metrics_and_numbers_it_has(tmp_path):
    a = judged(tmp_path, "a", {"0": "no reply in 120 s", "1": "no reply in 240 s", "2": "it is no JSON"})
    b = judged(tmp_path, "b", {"0": "no reply in 60 s"})
    lines = list(why_unscored(score([a, b], "Valid Supported ExactMatch")))
    assert lines == [
        "unscored, 3 of a and b by Valid and Supported: no reply in 120 s",
        "unscored, 1 of a by Valid and Supported: it is no JSON",
    ]
    with written_in("es"):
        assert "sin puntuación, 1 de a con Valid y Supported" in list(why_unscored(score([a, b], "Valid Supported")))[1]


def test_only_the_commonest_reasons_are_said_and_the_others_counted(tmp_path):
    a = judged(tmp_path, "a", dict(zip("01234", ("b", "c", "d", "e", "e"), strict=True)))
    assert list(why_unscored(score(a, "Valid"))) == [
        "unscored, 2 of a by Valid: e",
        "unscored, 1 of a by Valid: b",
        "unscored, 1 of a by Valid: c",
        "unscored, further reasons: 1; --per-item shows them",
    ]


def test_nothing_is_said_where_all_is_scored(tmp_path):
    assert list(why_unscored(score(judged(tmp_path, "a", {}), "Valid ExactMatch"))) == []

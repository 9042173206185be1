"""Whose word on whether a question has an answer counts."""

from builders import make_run

from neraca import score
from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.sentences.notes import notes as notes_of
from neraca.runs.verdict_table import VerdictTable
from neraca.verdicts.expected import with_expected

ITEMS = (Item(id="a", query="?", expects="results"), Item(id="b", query="?"), Item(id="c", query="?", expects="none"))


def expectation(item: str, value: float | None, by: str = "human:Ana", at: str = "2026-01-01T00:00:00Z") -> Verdict:
    return Verdict(item=item, about="item", aspect="expects", by=by, value=value, at=at)


def expected(*runs: list[Verdict]) -> list[str]:
    return [item.expected for item in with_expected(ITEMS, [VerdictTable.made(run) for run in runs]).items]


def test_a_person_comes_before_the_data_set():
    assert expected([]) == ["results", "", "none"]
    assert expected([expectation("a", 0), expectation("b", 1)]) == ["none", "results", "none"]


def test_what_overrules_the_data_set_is_named_and_what_agrees_or_adds_is_not():
    """On `a` a person contradicts the data set, `b` had no expectation, and on `c` both say that nothing fits."""
    verdicts = VerdictTable.made([expectation("a", 0), expectation("b", 1), expectation("c", 0)])
    assert with_expected(ITEMS, [verdicts]).overruled == ("a",)
    assert with_expected(ITEMS, []).overruled == ()


def test_the_majority_counts_and_a_tie_decides_nothing():
    assert (
        expected([expectation("a", 0), expectation("a", 0, "human:Budi"), expectation("a", 1, "human:Citra")])[0]
        == "none"
    )
    assert expected([expectation("a", 0), expectation("a", 1, "human:Budi")])[0] == "results"


def test_the_newest_word_counts_in_whichever_run_it_stands():
    new, old = expectation("b", 1, at="2026-02-01T00:00:00Z"), expectation("b", 0)
    assert expected([new], [old])[1] == expected([old], [new])[1] == "results"
    assert expected([expectation("b", 1, "llm:m"), old])[1] == "none", "people before models"


def test_metrics_follow_in_every_run(tmp_path):
    """A rightly empty answer succeeds and junk does not; before somebody said so, the empty one had failed."""
    items = [Item(id="a", query="?", expects="results")]
    runs = [
        make_run(tmp_path / "empty", items, [Answer(item="a")]),
        make_run(tmp_path / "junk", items, [Answer(item="a", hits=(Hit(id="d"),))]),
    ]

    def success():
        return {row["run"]: row["value"] for row in score(runs, "Success").rows()}

    def notes():
        return [note for note in notes_of(score(runs, "Success")) if "contradicts the data set" in note]

    assert success()["empty"] == 0
    assert not notes()
    with runs[1].writing():
        runs[1].add_verdicts([expectation("a", 0)])
    assert success() == {"empty": 1, "junk": 0}
    assert notes() == [
        "1 question (a): a verdict on whether a good answer is empty contradicts the data set; the verdict counts"
    ]


def rules(combine: str | None, *runs: list[Verdict]) -> tuple[str, str, int, int]:
    found = with_expected(ITEMS, [VerdictTable.made(run) for run in runs], combine=combine)
    together = found.together["human"]
    return found.items[1].expected, together.rule, together.raters, together.undecided


def test_the_rule_for_everything_holds_for_what_questions_expect():
    """Ana says no at noon, Budi yes an hour later: his is the newest word; by majority they are level."""
    ana, budi = (
        expectation("b", 0, at="2026-01-01T12:00:00Z"),
        expectation("b", 1, "human:Budi", "2026-01-01T13:00:00Z"),
    )
    for runs in ([ana, budi], []), ([ana], [budi]), ([budi], [ana]):
        assert rules(None, *runs) == ("", "majority", 2, 1)
        assert rules("newest", *runs) == ("results", "newest", 2, 0)
        assert rules("median", *runs) == ("none", "median", 2, 0), "the lower one"
        assert rules("mean", *runs) == ("", "majority", 2, 1), "half a yes is none"


def test_people_who_spoke_at_the_same_latest_time_decide_by_majority():
    assert rules("newest", [expectation("b", 0), expectation("b", 1, "human:Budi")]) == ("", "newest", 2, 1)

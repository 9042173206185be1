"""Choosing questions by who is best, by outcome, by difference and by verdict: six questions with known answers."""

import re
import shutil
import time
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from html import unescape
from urllib.parse import quote

import pytest
from builders import make_run
from web.test_explorer_app import HOSTILE, explorer, get

from neraca.comparisons.by_question import spread
from neraca.errors import InputError, NeracaError
from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.blocks.questions import questions
from neraca.scores.score import score
from neraca.web import question_records, run_questions
from neraca.web.question_facts import question_facts
from neraca.web.question_filters import Filters, choices
from neraca.web.question_records import QuestionRecords
from neraca.web.run_index import RunIndex
from neraca.web.run_questions import RunQuestions
from neraca.web.table_layout import Layout

PATHS = ("old", "new")
BOTH = "run=old&run=new"
#: Of each question what the two runs returned; d and e are relevant. P@5 is 0.2 for each of them that was found.
FOUND = {"q1": ("d", "x"), "q2": ("x", "d"), "q3": ("d", "d"), "q4": ("x", "x"), "q5": (None, None), "q6": ("d e", "x")}
#: On the answer of the run `old`.
VERDICTS = [
    ("q1", "human:ana", 1, "decided"),
    ("q2", "llm:a#123456", 1, "decided"),
    ("q2", "llm:a#abcdef", 0, "decided"),  # the same judge with another prompt: its newest word counts
    ("q3", "human:ana", 1, "decided"),
    ("q3", "llm:a#123456", 0, "decided"),
    ("q4", "rules", None, "missing"),
    ("q6", "human:ana", 1, "decided"),
    ("q6", "human:ana", None, "withdrawn"),
]


def answer(item, docs):
    if docs is None:
        return Answer(item=item, status="error", error="no connection")
    return Answer(item=item, text="found", hits=tuple(Hit(id=doc) for doc in docs.split()))


def six_questions(folder):
    """Two runs on six questions with known values."""
    items = [Item(id=name, query=f"question {name}", relevant={"d": 1, "e": 1}, tags={"kind": "a"}) for name in FOUND]
    for number, run in enumerate(PATHS):
        verdicts = [
            Verdict(item=item, about="answer", aspect="good", by=by, value=value, status=status)
            for item, by, value, status in (VERDICTS if run == "old" else ())
        ]
        made = make_run(folder / run, items, [answer(item, docs[number]) for item, docs in FOUND.items()], verdicts)
        day = f"2026-01-0{number + 1}"
        made.update(started=f"{day}T00:00:00Z", ended=f"{day}T00:01:00Z")
    return folder


@contextmanager
def scored_together(folder):
    """The link of a server of these two runs, once they are scored."""
    with explorer(folder) as started:
        for _ in range(200):
            if "renews itself" not in get(started.rstrip("/"), f"/questions?{BOTH}")[2]:
                break
            time.sleep(0.05)
        yield started.rstrip("/")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return six_questions(tmp_path_factory.mktemp("chosen"))


@pytest.fixture(scope="module")
def facts(folder):
    return question_facts([folder / run for run in PATHS])


@pytest.fixture(scope="module")
def link(folder):
    with scored_together(folder) as started:
        yield started


CASES = [
    ({"best": "old"}, "q1 q6"),
    ({"best": "new"}, "q2"),
    ({"best": "-tied"}, "q3 q4 q5"),
    ({"best": "-zero"}, "q4 q5"),
    ({"best": "-failed"}, "q5"),
    ({"best": "-unscored"}, ""),
    ({"outcome": "relevant"}, "q1 q2 q3 q6"),
    ({"outcome": "none relevant"}, "q1 q2 q4 q6"),
    ({"outcome": "error"}, "q5"),
    ({"difference": "0.2"}, "q1 q2 q6"),
    ({"difference": "0.4"}, "q6"),
    ({"difference": "0.5"}, ""),
    ({"verdict": "people"}, "q1 q3"),
    ({"verdict": "judge"}, "q2 q3 q4"),
    ({"verdict": "differ"}, "q3"),
    ({"verdict": "undecided"}, "q4"),
    ({"verdict": "none"}, "q5 q6"),
    ({"best": "old", "verdict": "people"}, "q1"),
    ({"best": "gone"}, ""),
]


@pytest.mark.parametrize("asked, wanted", CASES)
def test_questions_that_fit(facts, asked, wanted):
    fit = Filters.of(asked).fit(facts, PATHS)
    assert [name for name, fits in zip(FOUND, fit.tolist(), strict=True) if fits] == wanted.split()


def test_each_choice_says_how_many_fit(facts):
    shown = {choice.name: choice for choice in choices(Filters(), facts, PATHS)}
    for asked, wanted in CASES:
        name, value = next(iter(asked.items()))
        if len(asked) == 1 and name in shown and value != "gone":
            assert next(one.n for one in shown[name].options if one.value == value) == len(wanted.split()), asked
    assert shown["best"].label == "Best in Precision@5"
    assert "-unscored" not in [one.value for one in shown["best"].shown], "no question has it"


@pytest.mark.parametrize("difference", ["0,2", "-0.1", "nan", "inf", "much"])
def test_a_difference_that_is_no_number_is_said(difference):
    with pytest.raises(InputError, match="is not a number from 0, such as"):
        Filters.of({"difference": difference})


def test_the_report_of_the_runs_says_the_same(facts, folder):
    scores = score([folder / run for run in PATHS])
    shown = questions(scores, facts.metric, len(FOUND))
    assert [one.best for one in shown] == [facts.runs[best] if best >= 0 else "" for best in facts.best.tolist()]
    assert [one.spread for one in shown] == spread(facts.values).tolist()
    assert {one.id: set(one.outcomes) for one in shown} == {
        name: {outcome for outcome, fit in facts.outcomes.items() if fit[place]} for place, name in enumerate(FOUND)
    }


@pytest.fixture
def index(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "runs")  # without facts that another test has kept
    shutil.rmtree(tmp_path / "runs/.neraca-kept", ignore_errors=True)
    made = RunIndex(tmp_path / "runs")
    yield made
    made.close()


def test_pages_keep_what_is_chosen(index, facts, monkeypatch):
    monkeypatch.setattr(run_questions, "PER_PAGE", 1)
    monkeypatch.setattr(index, "begin", lambda write, *given: done(write(*given)))
    view = RunQuestions(index).list_view(PATHS, Filters(q="question", tag="kind=a", best="-tied", difference="0"), 2)
    assert [row[1].id for row in view["questions"]] == ["q4"]
    asked = "q=question&tag=kind%3Da&best=-tied&difference=0"
    assert view["earlier"] == f"/questions?{BOTH}&{asked}&page=1"
    assert view["later"] == f"/questions?{BOTH}&{asked}&page=3"
    assert view["export"] == f"/questions.csv?{BOTH}&{asked}"


def test_until_answers_are_scored_the_page_says_so_and_keeps_what_is_chosen(index, monkeypatch):
    scoring, begun = Future(), []
    monkeypatch.setattr(index, "begin", lambda write, *given: begun.append(partial(write, *given)) or scoring)
    runs, asked = RunQuestions(index), Filters(best="old", verdict="people")
    view = runs.list_view(PATHS, asked, 1)
    assert (view["live"], view["hidden"], view["questions"]) == (True, True, [])
    kept = [("best", "old"), ("outcome", ""), ("verdict", "people"), ("metric", ""), ("sort", "")]
    assert view["kept"] == kept
    assert len(runs.list_view(PATHS, Filters(), 1)["questions"]) == len(FOUND), "what needs no scores is there"
    scoring.set_result(begun[0]())
    view = runs.list_view(PATHS, asked, 1)
    assert (view["live"], [row[1].id for row in view["questions"]]) == (False, ["q1"])


def test_where_scoring_failed_it_is_tried_again(index, monkeypatch):
    begun = [lambda write, *_: failed(NeracaError("the process ended")), lambda write, *given: done(write(*given))]
    monkeypatch.setattr(index, "begin", lambda *given: begun.pop(0)(*given))
    runs = RunQuestions(index)
    with pytest.raises(InputError, match="the process ended"):
        runs.list_view(PATHS, Filters(best="old"), 1)
    assert runs.list_view(PATHS, Filters(best="old"), 1)["total"] == 2


def test_a_question_is_the_same_by_search_and_by_index(index, monkeypatch):
    begun = []
    monkeypatch.setattr(index, "begin", lambda make, *given: begun.append(given) or done(make(*given)))
    records = QuestionRecords(index)
    searched = records.of(PATHS, "q3")
    assert len(begun) == 1 + 2 * len(PATHS), "items once, answers and verdicts of each run"
    assert [run.name for run in searched] == list(PATHS)
    assert [verdict.by for verdict in searched[0].verdicts()] == ["human:ana", "llm:a#123456"]
    monkeypatch.setattr(question_records, "search_lines", None)
    indexed = records.of(PATHS, "q3")
    assert [list(run.answers().values()) for run in indexed] == [list(run.answers().values()) for run in searched]
    assert [list(run.verdicts()) for run in indexed] == [list(run.verdicts()) for run in searched]


def done(result):
    future = Future()
    future.set_result(result)
    return future


def failed(error):
    future = Future()
    future.set_exception(error)
    return future


def figures(page):
    """The texts of the cells."""
    return [re.sub("<[^>]*>", "", cell) for cell in re.findall(r'<span class="figure">(.*)</span></td>', page)]


def ids(page):
    return re.findall(r'<span class="id">(\w+)</span>', page)


@pytest.mark.parametrize("asked, wanted", [case for case in CASES if case[1]])
def test_the_page_and_its_table_have_the_questions_that_fit(link, asked, wanted):
    given = "&".join(f"{name}={quote(value)}" for name, value in asked.items())
    page = get(link, f"/questions?{BOTH}&{given}")[2]
    assert ids(page) == wanted.split()
    export = unescape(re.search(r'<a href="(/questions\.csv[^"]+)">', page)[1])
    assert [row.split(",")[0] for row in get(link, export)[2].splitlines()] == ["item", *wanted.split()]


def test_what_is_chosen_goes_with_words_and_is_shown_as_chosen(link):
    page = get(link, f"/questions?{BOTH}&best=old&q=q6")[2]
    assert ids(page) == ["q6"]
    assert re.search(r'value="old" selected>old alone \(2\)', page)
    assert figures(page) == ["▲ best: 0.400", "0.000"]
    assert ids(get(link, f"/questions?{BOTH}&best=new&q=q6")[2]) == []


@pytest.mark.parametrize(
    "asked, note",
    [
        ("tag=kind%3Dgone", "No question has the tag kind=gone."),
        ("best=shop/gone", "None of these runs is shop/gone."),
        ("outcome=lost", "No answer has the outcome lost."),
        ("verdict=lost", "No verdict is called lost."),
    ],
)
def test_a_value_that_is_gone_is_shown_as_chosen_and_said(link, asked, note):
    page = get(link, f"/questions?{BOTH}&{asked}")[2]
    assert f'<p class="bad">{note}</p>' in page
    value = re.escape(asked.partition("=")[2].replace("%3D", "="))
    assert re.search(rf'<option value="{value}" selected>', page)
    assert "0 questions." in page


def test_hostile_words_stay_words(link):
    for name in ("tag", "best", "outcome", "verdict"):
        page = get(link, f"/questions?{BOTH}&{name}={quote(HOSTILE)}")[2]
        assert "<script" not in page.replace('<script src="/matrix.js" defer></script>', "")
        assert "<img" not in page
        assert not re.search("[\x1b\u202e]", page)


def test_runs_that_cannot_be_scored_together_are_listed_and_the_filters_say_why(tmp_path, monkeypatch):
    for number in (1, 2):
        make_run(tmp_path / f"r{number}", [Item(id="q", query=f"{number}?")], [Answer(item="q", text="x")])
    index = RunIndex(tmp_path)
    with pytest.raises(InputError) as refused:
        question_facts([tmp_path / "r1", tmp_path / "r2"])
    monkeypatch.setattr(index, "begin", lambda *_: failed(refused.value))
    view = RunQuestions(index).list_view(["r1", "r2"], Filters(), 1)
    assert (view["total"], view["live"]) == (1, False)
    assert "answer different questions" in view["problem"]
    with pytest.raises(InputError, match="answer different questions"):
        RunQuestions(index).list_view(["r1", "r2"], Filters(best="r1"), 1)
    with pytest.raises(InputError, match="answer different questions"):
        RunQuestions(index).rows(["r1", "r2"], Filters(best="r1"), Layout())
    index.close()


def test_what_cannot_be_asked_for_is_refused(link):
    status, _, page = get(link, f"/questions?{BOTH}&difference=0%2C2")
    assert (status, "is not a number from 0, such as 0.2" in page) == (400, True)

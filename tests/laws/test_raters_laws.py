"""Laws of people's ratings: files and lines in any order, and twice, give one value; a word never widens a range."""

import csv
import io
import json
import math
import random
import shutil

import pytest
from builders import make_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import neraca
from neraca.people.rating_table import COLUMNS
from neraca.people.rating_task import RatingTasks
from neraca.records import Answer, Hit, Item, Verdict
from neraca.runs.run import Run

DRAWN = settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
ITEMS = [Item(id=f"q{n}", query=f"question {n}", session=f"s{n // 2}") for n in range(6)]
METRICS = "P@2 Rubric(quality)"


def answers(of):
    return [
        Answer(item=item.id, text=f"{of} {item.id}", hits=(Hit(id=f"{of}-{item.id}"), Hit(id=f"both-{item.id}")))
        for item in ITEMS
    ]


@pytest.fixture
def runs(tmp_path):
    return [make_run(tmp_path / "runs" / name, ITEMS, answers(name)) for name in ("old", "new")]


def tables(runs, chance):
    """Files as the rating page saves them: two people, one of whom saved a second time after she changed her mind."""
    tasks = RatingTasks.of(runs).tasks
    files = {}
    for rater, day in (("ani", 1), ("beni", 2), ("ani", 3)):
        lines = []
        for place, task in enumerate(tasks):
            grades = ";".join(str(chance.randint(0, 1)) for _ in task.hits)
            said = {"query_id": task.number, "question": task.query, "results_count": len(task.hits)}
            said |= {"response_quality": chance.randint(0, 5), "answer": task.id, "ratings": grades, "rater": rater}
            lines.append(said | {"rated_at": f"2026-01-0{day}T08:{place:02d}:00.123Z"})
        files[f"ratings-{rater}-{day}.csv"] = lines
    return files


def write(folder, files, chance=None):
    """Write the files; with `chance` their lines stand in another order.  Return their paths in an order by chance."""
    folder.mkdir()
    for name, lines in files.items():
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS)
        writer.writeheader()
        writer.writerows(chance.sample(lines, len(lines)) if chance else lines)
        (folder / name).write_text(text.getvalue(), encoding="utf-8-sig")
    paths = sorted(folder.iterdir())
    return chance.sample(paths, len(paths)) if chance else paths


def scored(cli, folder):
    told = cli("score", *sorted((folder / "runs").iterdir()), "-m", METRICS, "--json")
    assert told.code == 0, told.err
    return [json.loads(line) for line in told.out.splitlines()]


@DRAWN
@given(st.integers(0, 10**6))
def test_files_and_lines_in_any_order_and_twice_give_the_same_values(cli, tmp_path_factory, seed):
    chance = random.Random(seed)
    base = tmp_path_factory.mktemp("ratings")
    plain = [make_run(base / "plain" / "runs" / name, ITEMS, answers(name)) for name in ("old", "new")]
    files = tables(plain, random.Random(seed))
    shutil.copytree(base / "plain", base / "other")
    for folder, order in (("plain", None), ("other", chance)):
        paths = write(base / folder / "files", files, order)
        named = [word for run in sorted((base / folder / "runs").iterdir()) for word in ("--run", run)]
        assert cli("rate", "import", *paths, *named).code == 0
    first = scored(cli, base / "plain")
    assert first == scored(cli, base / "other")
    assert all(row["value"] is not None for row in first)
    again = [word for run in sorted((base / "other" / "runs").iterdir()) for word in ("--run", run)]
    assert cli("rate", "import", *sorted((base / "other" / "files").iterdir()), *again).code == 0
    assert first == scored(cli, base / "other"), "a file that came in twice changes nothing"


def test_the_page_says_when_so_that_an_older_file_never_replaces_a_newer_word(cli, tmp_path, runs):
    """Ani rates 1, later 5; her files come in the wrong order."""
    task = RatingTasks.of(runs[:1]).tasks[0]
    line = {"query_id": task.number, "question": task.query, "results_count": 2, "answer": task.id, "rater": "ani"}
    early = line | {"response_quality": 1, "rated_at": "2026-01-01T08:00:00Z"}
    late = line | {"response_quality": 5, "rated_at": "2026-01-02T08:00:00Z"}
    write(tmp_path / "files", {"a.csv": [late], "b.csv": [early]})
    for name in ("a.csv", "b.csv"):
        assert cli("rate", "import", tmp_path / "files" / name, "--run", runs[0].path).code == 0
    assert neraca.score(runs[0], "Rubric(quality)").mean("Rubric(quality)") == 5


def test_two_lines_that_contradict_each_other_are_said_and_neither_is_taken(cli, tmp_path, runs):
    task = RatingTasks.of(runs[:1]).tasks[0]
    line = {"query_id": task.number, "question": task.query, "results_count": 2, "answer": task.id, "rater": "ani"}
    lines = [line | {"response_quality": 1, "ratings": "1;0"}, line | {"response_quality": 4, "ratings": "1;0"}]
    for name, order in (("a", lines), ("b", lines[::-1])):
        write(tmp_path / name, {"ratings-ani.csv": order})
        run = make_run(tmp_path / f"run-{name}", ITEMS, answers("old"))
        told = cli("rate", "import", tmp_path / name / "ratings-ani.csv", "--run", run.path)
        assert "none of these is taken" in told.err
        assert [verdict.about for verdict in Run(run.path).verdicts()] == ["hit:old-q0", "hit:both-q0"]


def judged(by, doc, value, at):
    return Verdict(item="q0", about=f"hit:{doc}", aspect="relevance", by=by, value=value, at=at)


def test_one_persons_two_words_at_the_same_time_are_undecided_in_any_order_of_runs(cli, tmp_path):
    """One document in two runs, 1 in one and 0 in the other, at the same second: neither is the newer word."""
    at = "2026-01-01T08:00:00Z"
    for name, value in (("old", 1.0), ("new", 0.0)):
        said = [judged("human:ani", "both-q0", value, at), judged("human:ani", f"{name}-q0", 1.0, at)]
        make_run(tmp_path / name, ITEMS, answers(name), said)
    orders = [[tmp_path / "old", tmp_path / "new"], [tmp_path / "new", tmp_path / "old"]]
    for order in orders:
        scores = neraca.score(order, "P@2 Judged@2")
        assert len(scores.relevance.contradicted) == 1
        assert [scores.relevance.grades["q0"].get(f"{doc}-q0") for doc in ("old", "new", "both")] == [1, 1, None]
    told = cli("score", *orders[0], "-m", "P@2")
    assert "because one person graded them in two ways at the same time, and taken as unjudged: 1" in told.err
    later = judged("human:ani", "both-q0", 1.0, "2026-01-02T08:00:00Z")
    run = Run(tmp_path / "new")
    with run.writing():
        run.add_verdicts([later])
    for order in orders:
        assert neraca.score(order, "P@2").relevance.contradicted == {}, "a newer word decides"


@pytest.mark.parametrize("later, value", [((), None), (("citra", 1.0), 1.0)])
def test_two_people_at_the_same_second_are_level_by_the_newest_word_whatever_the_order_of_lines(tmp_path, later, value):
    """Ani says 1 and beni 0, on a document and on a quality; a third word of that second makes a majority."""
    at = "2026-01-01T08:00:00Z"
    scores = []
    for name in ("plain", "turned"):
        said = [judged("human:cici", "old-q0", 0.0, "2025-12-31T08:00:00Z")]
        for rater, grade in (("ani", 1.0), ("beni", 0.0), *((later,) if later else ())):
            said.append(judged(f"human:{rater}", "old-q0", grade, at))
            rating = 5.0 if grade else 2.0
            said.append(Verdict(item="q0", about="answer", aspect="quality", by=f"human:{rater}", value=rating, at=at))
        run = make_run(tmp_path / name, ITEMS, answers("old"), said if name == "plain" else said[::-1])
        scores.append(neraca.score(run, "P@2 Rubric(quality)", combine="newest"))
    for each in scores:
        assert each.relevance.grades.get("q0", {}).get("old-q0") == value
        quality = each.mean("Rubric(quality)")
        assert math.isnan(quality) if value is None else quality == 5.0


@DRAWN
@given(st.integers(0, 10**6))
def test_deciding_one_undecided_verdict_never_widens_the_range(tmp_path_factory, seed):
    """Ani and Beni disagree here and there; then a third person decides one of these."""
    chance = random.Random(seed)
    said = [
        Verdict(
            item=item.id,
            about=f"hit:{doc}-{item.id}",
            aspect="relevance",
            by=f"human:{rater}",
            value=float(chance.randint(0, 1)),
            at="2026-01-01T08:00:00Z",
        )
        for item in ITEMS
        for doc in ("old", "both")
        for rater in ("ani", "beni")
    ]
    by_hit = {}
    for one in said:
        by_hit.setdefault((one.item, one.about), set()).add(one.value)
    level = sorted(hit for hit, values in by_hit.items() if len(values) > 1)
    if not level:
        return
    folder = tmp_path_factory.mktemp("level") / "run"
    run = make_run(folder, ITEMS, answers("old"), said)

    def ranges():
        scores = neraca.score(folder, "P@2 RR")
        return {
            str(metric): scores.facts.get("if_decided", {}).get(("run", str(metric)), (scores.mean(metric),) * 2)
            for metric in scores.metrics
        }

    before = ranges()
    item, about = chance.choice(level)
    with run.writing():
        run.add_verdicts(
            [Verdict(item=item, about=about, aspect="relevance", by="human:citra", value=float(chance.randint(0, 1)))]
        )
    after = ranges()
    for metric, (low, high) in after.items():
        assert before[metric][0] - 1e-12 <= low <= high <= before[metric][1] + 1e-12, metric
        assert not math.isnan(low)


def test_ratings_that_happen_to_be_0_and_1_are_called_a_guess_unless_a_metric_declares_them(cli, tmp_path):
    """Two people, 1 and 0: of yes and no a level vote, on a scale a mean of one half."""
    said = [
        Verdict(item="q0", about="answer", aspect="tone", by=f"human:{rater}", value=value)
        for rater, value in (("ani", 1.0), ("beni", 0.0))
    ]
    folder = tmp_path / "run"
    make_run(folder, ITEMS, answers("old"), said)
    guess = "tone is taken as yes or no, because every rating is 0 or 1; if it is a scale, say"
    assert guess in cli("score", folder, "-m", "P@2").err
    assert neraca.score(folder, "Rubric(tone)").mean("Rubric(tone)") == 0.5
    declared = cli("score", folder, "-m", "Rubric(tone)")
    assert "tone: mean of 2 raters where several people decided (1 time)" in declared.err
    assert guess not in declared.err
    assert guess not in cli("score", folder, "-m", "Aspect(tone)").err
    assert guess not in cli("score", folder, "-m", "P@2", "--combine", "mean").err


@pytest.mark.parametrize("rated_too", [False, True], ids=["only-reviews", "a-rating-of-its-own"])
def test_reviews_of_a_rule_are_yes_or_no_by_definition(cli, tmp_path, rated_too):
    """What no rule decided on may be a scale, so that the guess is said."""
    decided = [(by, "q0", 1.0) for by in ("rules", "human:ani", "human:beni")]
    decided += [("human:ani", "q1", 1.0)] if rated_too else []
    said = [Verdict(item=item, about="answer", aspect="tone", by=by, value=value) for by, item, value in decided]
    folder = tmp_path / "run"
    make_run(folder, ITEMS, answers("old"), said)
    errors = cli("score", folder, "-m", "P@2").err
    assert "tone: majority of 2 raters where several people decided (1 time)" in errors
    assert ("tone is taken as yes or no" in errors) == rated_too

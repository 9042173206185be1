"""Verdicts of rules and models, chosen and shown to a reviewer, and what follows when they are overruled."""

import re
import uuid

import msgspec
import pytest
from builders import make_run

from neraca import score
from neraca.errors import InputError
from neraca.people.rating import Rating
from neraca.people.review_task import ReviewTasks
from neraca.people.review_verdicts import verdicts_of_reviews
from neraca.records import Answer, Constraint, Hit, Item, Verdict
from neraca.reports.sentences.agreement import chosen_labels
from neraca.runs.run import content_of
from neraca.runs.session_contents import session_contents
from neraca.verdicts.current import current_verdicts

ITEM = Item(
    id="q1",
    query="houses under 500?",
    references=("Two houses.",),
    constraints={"price": Constraint(max=500)},
    tags={"category": "price"},
)
D1, D2 = Hit(id="d1", text="one costs 400", fields={"price": 400}), Hit(id="d2", text="two", fields={"price": 900})
A, B = "llm:a#111111", "llm:b#222222"


def make_verdict(about, aspect, value, by, why="", status="decided", item="q1"):
    return Verdict(item=item, about=about, aspect=aspect, value=value, by=by, why=why, status=status)


CLAIMS = [
    make_verdict("answer", "claims", 2, A),
    make_verdict("answer", "reference_claims", 0, A),
    make_verdict("answer", "contexts", 2, A),
    make_verdict("claim:1", "claim", 1, A, "There are two houses."),
    make_verdict("claim:1", "supported", 1, A),
    make_verdict("claim:1", "hit:d1", 1, A),
    make_verdict("claim:2", "claim", 1, A, "Both are cheap."),
    make_verdict("claim:2", "supported", 0, A),
]
RULES = [
    make_verdict("hit:d1", "price", 1, "rules", "400 of 500"),
    make_verdict("hit:d2", "price", 0, "rules", "900 of 500"),
]


@pytest.fixture
def run(tmp_path):
    return make_run(
        tmp_path / "api", [ITEM], [Answer(item="q1", text="Two, both cheap.", hits=(D1, D2))], CLAIMS + RULES
    )


def tasks_of(*runs, **choice):
    return ReviewTasks.of(runs, [current_verdicts(run) for run in runs], **choice)


def rating(task, value, on="verdict"):
    return Rating(id=uuid.uuid4().hex, task=task.id, on=on, value=value)


def write(runs, verdicts):
    for run, given in zip(runs, verdicts, strict=True):
        with run.writing():
            run.add_verdicts(given)


def test_a_claim_stands_beside_the_contexts_that_it_was_judged_on(run):
    tasks = tasks_of(run, aspect="supported")
    one = next(task for task in tasks.tasks if task.statement == "There are two houses.")
    assert (one.about, one.text, one.references, one.number) == ("claim", "", (), 1), "only what the judge saw"
    assert [hit.text for hit in one.hits] == ["one costs 400", "two"]
    assert (one.supports, one.opinions) == ((), ()), "reviewers decide before they know the verdict"
    seen = next(task for task in tasks_of(run, aspect="supported", show_verdict=True).tasks if task.id == one.id)
    assert seen.supports == (one.hits[0].key,)
    assert [(said.source, said.value) for said in seen.opinions] == [("llm", 1)]
    assert one.scale == (0, 1)
    shown = msgspec.json.encode(one).decode()
    assert '"kind":"review"' in shown
    assert not re.search("api|d1|llm:a", shown), "neither the system nor which model said it"


def test_a_verdict_on_a_hit_stands_beside_the_hit_and_what_was_asked(run):
    tasks = tasks_of(run, by="rules", show_verdict=True)
    assert {task.aspect for task in tasks.tasks} == {"price"}
    one = next(task for task in tasks.tasks if task.hits[0].text == "two")
    assert (len(one.hits), one.constraint, one.opinions[0].why) == (1, Constraint(max=500), "900 of 500")


def test_what_is_no_decision_is_not_reviewed(run):
    more = [
        make_verdict("answer", "preferred:other", 1, A),
        make_verdict("answer", "preferred_first:other", 1, A),
        make_verdict("answer", "valid", None, A, status="unscored"),
        make_verdict("answer", "quality", 4, "human:Ana"),
        make_verdict("answer", "similarity", 0.4, "embed:e"),
        make_verdict("answer", "polite", None, A, status="not_applicable"),
    ]
    write([run], [more])
    assert {(task.about, task.aspect) for task in tasks_of(run).tasks} == {
        ("claim", "supported"),
        ("hit", "price"),
        ("answer", "polite"),
    }


def test_an_overruled_claim_changes_faithfulness(run):
    assert score([run], "Faithfulness").rows()[0]["value"] == 0.5
    tasks = tasks_of(run, by="llm:a", aspect="supported")
    cheap = next(task for task in tasks.tasks if task.statement == "Both are cheap.")
    said = [rating(cheap, 0), rating(cheap, 1), rating(cheap, "400 is cheap", "note")]
    (verdicts,) = verdicts_of_reviews(said, tasks, "Ana")
    assert [(v.about, v.aspect, v.value, v.by, v.why) for v in verdicts] == [
        ("claim:2@llm:a#111111", "supported", 1, "human:Ana", "400 is cheap")
    ]
    write([run], [verdicts])
    assert score([run], "Faithfulness").rows()[0]["value"] == 1
    assert len(tasks_of(run, aspect="supported", reviewer="Ana").tasks) == 1
    write([run], verdicts_of_reviews([rating(cheap, None)], tasks, "Ana"))
    assert score([run], "Faithfulness").rows()[0]["value"] == 0.5, "taken back"


def test_an_overruled_rule_holds_in_every_run_that_returned_the_hit(tmp_path, run):
    vector = make_run(tmp_path / "vector", [ITEM], [Answer(item="q1", text="One.", hits=(D2,))], RULES[1:])
    tasks = tasks_of(run, vector, by="rules")
    assert len(tasks.tasks) == 2, "the same hit for the same question is one"
    second = next(task for task in tasks.tasks if task.hits[0].text == "two")
    verdicts = verdicts_of_reviews([rating(second, "not_applicable")], tasks, "Ana")
    assert [[(v.about, v.status, v.of) for v in given] for given in verdicts] == [
        [("hit:d2", "not_applicable", "")]
    ] * 2
    write([run, vector], verdicts_of_reviews([rating(second, 1)], tasks, "Ana"))
    scores = score([run, vector], "PassRatio")
    assert {row["run"]: row["value"] for row in scores.rows()} == {"api": 1, "vector": 1}


def test_the_order_is_drawn_at_random_unless_differing_ones_are_to_come_first(tmp_path):
    items = [Item(id=f"q{n}", query=f"question {n}") for n in range(20)]
    said = [make_verdict("answer", "valid", 1, A, item=item.id) for item in items]
    said += [make_verdict("answer", "valid", float(n != 7), B, item=f"q{n}") for n in range(20) if n != 8]
    said += [make_verdict("answer", "valid", None, B, status="not_applicable", item="q8")]
    run = make_run(tmp_path / "run", items, [Answer(item=item.id, text="x") for item in items], said)
    firsts = {tasks_of(run, seed=seed, most=1).tasks[0].query for seed in range(12)}
    assert len(firsts) > 4, "a review of the first n is a random sample"
    differing = {"differing_first": True}
    first, second, *others = tasks_of(run, **differing).tasks
    assert (first.query, second.query) == ("question 7", "question 8")
    assert len({tuple(task.number for task in tasks_of(run, seed=seed).tasks) for seed in range(5)}) == 5
    assert tasks_of(run, seed=1) == tasks_of(run, seed=1)
    assert len(others) == 18
    assert [task.query for task in tasks_of(run, most=2, **differing).tasks] == ["question 7", "question 8"]
    reviewed = tasks_of(run, by="llm:b", show_verdict=True, **differing).tasks[0]
    assert [said.value for said in reviewed.opinions] == [0, 1], "the one that is reviewed first"


def test_grades_keep_their_scale(tmp_path):
    items = [Item(id=f"q{n}", query=f"question {n}") for n in range(2)]
    said = [make_verdict("answer", "tone", grade, A, item=f"q{n}") for n, grade in enumerate((1, 4))]
    said += [make_verdict("answer", "near", grade, A, item=f"q{n}") for n, grade in enumerate((0.25, 0.5))]
    run = make_run(tmp_path / "run", items, [Answer(item=item.id, text="x") for item in items], said)
    assert {task.scale for task in tasks_of(run, aspect="tone").tasks} == {(1, 2, 3, 4)}
    assert {task.scale for task in tasks_of(run, aspect="near").tasks} == {(0.25, 0.5)}


@pytest.mark.parametrize(
    ("on", "value", "words"),
    [
        ("verdict", 2, "verdict: 2 is not one of 0, 1, does not apply (not_applicable)"),
        ("verdict", "pass", "verdict: 'pass' is not one of 0, 1"),
        ("note", 1, "note: 1 is not a text"),
        ("quality", 1, "a rating on 'quality'; here it is verdict or note"),
    ],
)
def test_what_is_on_no_scale_is_refused(run, on, value, words):
    tasks = tasks_of(run)
    with pytest.raises(InputError, match=re.escape(words)):
        verdicts_of_reviews([rating(tasks.tasks[0], value, on)], tasks, "Ana")


def test_nothing_to_review_and_ratings_of_something_else(run):
    with pytest.raises(InputError, match="no verdict of a rule or a model by llm:z on price left to review"):
        tasks_of(run, by="llm:z", aspect="price")
    tasks = tasks_of(run)
    with pytest.raises(InputError, match="a rating of 'x', which is no verdict of these runs"):
        verdicts_of_reviews([Rating(id="1", task="x", on="verdict", value=1)], tasks, "Ana")


def test_labels_chosen_by_disagreement_correct_no_score_without_a_sample(tmp_path):
    items = [Item(id=f"q{n}", query=f"question {n}") for n in range(20)]
    said = [make_verdict("answer", "valid", 1, A, item=item.id) for item in items]
    said += [make_verdict("answer", "valid", float(n > 6), B, item=f"q{n}") for n in range(20)]
    run = make_run(tmp_path / "run", items, [Answer(item=item.id, text="x") for item in items], said)
    tasks = tasks_of(run, most=5, differing_first=True)
    write([run], verdicts_of_reviews([rating(task, 1) for task in tasks.tasks], tasks, "Ana"))
    with pytest.raises(
        InputError, match=r"5 of 20 questions were labelled by human:Ana because programs disagree"
    ) as e:
        score([run], "Valid", by="llm:a", correct="ppi")
    assert "neraca agree RUN --plan plan.csv" in str(e.value)
    plan = tmp_path / "plan.csv"
    plan.write_text("item,draw,probability\n" + "".join(f"q{n},{n + 1 if n < 9 else ''},0.45\n" for n in range(20)))
    score([run], "Valid", by="llm:a", correct="ppi", sample=plan)
    (said,) = chosen_labels([run.verdicts()])
    assert said.startswith("human:Ana labelled 5 answers because programs disagree on them: these are no random sample")

    assert score([run], "Valid", by="human")["Valid"]["run"] == 1, "the marks change no score"


def test_labels_in_random_order_are_a_random_sample(tmp_path):
    items = [Item(id=f"q{n}", query=f"question {n}") for n in range(20)]
    said = [make_verdict("answer", "valid", 1, A, item=item.id) for item in items]
    run = make_run(tmp_path / "run", items, [Answer(item=item.id, text="x") for item in items], said)
    tasks = tasks_of(run, most=5)
    write([run], verdicts_of_reviews([rating(task, 1) for task in tasks.tasks], tasks, "Ana"))
    score([run], "Valid", by="llm:a", correct="ppi")
    assert chosen_labels([run.verdicts()]) == []


def test_a_person_overrules_a_verdict_on_a_conversation(tmp_path):
    items = [Item(id=f"t{n}", query=query, session="a") for n, query in enumerate(["I am Ana.", "Rooms?"], start=1)]
    answers = [Answer(item="t1", text="Hello."), Answer(item="t2", text="Who are you?")]
    run = make_run(tmp_path / "chat", items, answers)
    contents = session_contents(items, {(a.item, 0): content_of(a) for a in answers})
    verdicts = [make_verdict(about, "remembers", 0, A, item="t2") for about in ("session", "turn:2")]
    with run.writing():
        run.add_verdicts([msgspec.structs.replace(v, of=contents["t2", 0]) for v in verdicts])
    (task,) = (tasks := tasks_of(run)).tasks
    assert (task.about, task.text) == ("session", "1. I am Ana.\n→ Hello.\n\n2. Rooms?\n→ Who are you?")
    rating = Rating(id=uuid.uuid4().hex, task=task.id, on="verdict", value=1, at="2026-01-01T00:00:00Z")
    (of_run,) = verdicts_of_reviews([rating], tasks, "ana")
    with run.writing():
        run.add_verdicts(of_run)
    assert score(run, "KnowledgeRetention").mean("KnowledgeRetention") == 1
    with run.writing():
        run.answers_journal.append(Answer(item="t1", text="Good day."))
    assert list(current_verdicts(run)) == [], "the person had judged another conversation"


def test_the_words_of_a_criterion_reach_the_reviewer(tmp_path):
    polite = make_verdict("answer", "polite", 1, A)
    run = make_run(tmp_path / "api", [ITEM], [Answer(item="q1", text="Two.", hits=(D1,))], [*CLAIMS, polite])
    run.update(criteria={A: "The answer is polite."})
    [task] = tasks_of(run, aspect="polite").tasks
    assert task.criterion == "The answer is polite."
    run.update(criteria={})
    [task] = tasks_of(run, aspect="polite").tasks
    assert task.criterion == "", "the run was judged before criteria were kept"


def test_several_aspects_are_named_with_spaces_between_and_an_aspect_may_hold_one(run):
    write([run], [[make_verdict("answer", "very polite", 1, "llm:m"), make_verdict("answer", "valid", 1, "llm:m")]])
    assert {task.aspect for task in tasks_of(run, aspect="valid supported").tasks} == {"valid", "supported"}
    assert [task.aspect for task in tasks_of(run, aspect="very polite").tasks] == ["very polite"]

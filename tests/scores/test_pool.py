"""The verb `pool`: what is pooled, what counts as judged, what is chosen; worked by hand."""

import math

import polars as pl
import pytest
from builders import make_run

import neraca
from neraca.errors import InputError, SpecError
from neraca.people.pool import Coverage
from neraca.people.pool_run import return_verdicts, write_pool_run
from neraca.records import Answer, Constraint, Hit, Item, Verdict
from neraca.runs.run import Run, content_of
from neraca.scores.pool import pool

#: Down to rank 2 the pool of q1 is a, b, c and that of q2 is x, y.
RUNS = {
    "one": {"q1": {"a": 3, "b": 2, "low": 1}, "q2": {"x": 1}},
    "two": {"q1": {"c": 9, "a": 8, "b": 7}, "q2": {"y": 2, "x": 1}},
}
QRELS = {"q1": {"a": 1, "c": 0, "elsewhere": 2}, "q2": {"x": -1}}


def chosen(found):
    return [(one.query_id, one.document_id) for one in found.documents]


def test_depth_k_is_the_union_without_duplicates():
    found = pool(RUNS, 2)
    assert {q: sorted(documents) for q, documents in found.union.items()} == {"q1": ["a", "b", "c"], "q2": ["x", "y"]}
    assert sorted(chosen(found)) == [("q1", "a"), ("q1", "b"), ("q1", "c"), ("q2", "x"), ("q2", "y")]
    assert [one.order for one in found.documents] == [1, 2, 3, 1, 2]
    assert {(one.stratum, one.probability) for one in found.documents} == {("all", 1.0)}


def test_the_order_does_not_depend_on_the_runs():
    backwards = dict(reversed(RUNS.items()))
    assert chosen(pool(RUNS, 2, seed=3)) == chosen(pool(backwards, 2, seed=3))
    orders = {tuple(chosen(pool(RUNS, 3, seed=seed))) for seed in range(20)}
    assert len(orders) > 5


def test_what_old_qrels_judge_is_not_judged_again_and_minus_one_is_no_judgment():
    found = pool(RUNS, 2, qrels=QRELS)
    assert sorted(chosen(found)) == [("q1", "b"), ("q2", "x"), ("q2", "y")]
    assert found.coverage == (
        Coverage("one", 2, 3, 2, 0.25),
        Coverage("two", 2, 4, 2, 0.5),
    ), "one: a of a, b and none of x; two: both of c, a and none of y, x"


def test_of_several_qrels_the_last_counts():
    found = pool(RUNS, 2, qrels=[QRELS, {"q1": {"a": 0, "b": 3}}])
    assert found.judged == {"q1": {"a": 0, "b": 3, "c": 0, "elsewhere": 2}, "q2": {}}


def test_a_data_frame_and_a_file_are_runs_too(tmp_path):
    (tmp_path / "t.run").write_text("q1 Q0 f 1 1.0 t\n")
    frame = pl.DataFrame({"qid": ["q1", "q1"], "docno": ["g", "h"], "score": [1.0, 2.0]})
    assert sorted(chosen(pool([tmp_path / "t.run", frame], 1))) == [("q1", "f"), ("q1", "h")]
    assert chosen(pool(frame.lazy(), 1)) == [("q1", "h")]


def test_qrels_are_written_with_the_rest_of_the_pool_as_minus_one(tmp_path):
    found = pool(RUNS, 2, qrels=QRELS)
    assert found.write_qrels(tmp_path / "all.qrels") == 6
    assert (tmp_path / "all.qrels").read_text() == (
        "q1 0 a 1\nq1 0 b -1\nq1 0 c 0\nq1 0 elsewhere 2\nq2 0 x -1\nq2 0 y -1\n"
    )
    assert chosen(pool(RUNS, 2, qrels=tmp_path / "all.qrels")) == chosen(found)


@pytest.mark.parametrize(
    "how, message",
    [
        ({"qrels": {"q1": {"a": 0.5}}}, "grade 0.5 is not a whole number"),
        ({"qrels": {"q1": {"two words": 1}}}, "'two words' cannot be written to qrels"),
    ],
)
def test_what_qrels_cannot_carry(tmp_path, how, message):
    with pytest.raises(InputError, match=message):
        pool(RUNS, 2, **how).write_qrels(tmp_path / "x.qrels")
    with pytest.raises(InputError, match=r"name the file without \.csv"):
        pool(RUNS, 2).write_qrels(tmp_path / "x.csv")


def test_strategies_with_a_number_take_it_of_each_question():
    assert chosen(pool(RUNS, 3, strategy="rrf", n=1)) == [("q1", "a"), ("q2", "x")], "a: 1/61+1/62, x: 1/61+1/62"
    assert len(pool(RUNS, 3, strategy="uniform", n=2)) == 4
    assert [one.probability for one in pool(RUNS, 3, strategy="uniform", n=2).documents] == [0.5, 0.5, 1, 1]
    first = pool(RUNS, 3, qrels={"q1": {"a": 0}}, strategy="move-to-front", n=1)
    assert chosen(first) == [("q1", "c"), ("q2", "x")]
    assert math.isnan(first.documents[0].probability)
    assert chosen(pool(RUNS, 3, qrels={"q1": {"low": 2}}, strategy="max-mean", n=1)) == [("q1", "a"), ("q2", "x")]


def test_strata_bring_their_own_depth():
    found = pool(RUNS, 10, strategy="stratified", strata="1=1 2=0.5")
    assert found.depth == 2
    assert {q: sorted(one) for q, one in found.union.items()} == {"q1": ["a", "b", "c"], "q2": ["x", "y"]}
    assert [(one.document_id, one.stratum) for one in found.documents if one.stratum == "2"] == [("b", "2")]


def test_change_takes_its_number_of_all_questions():
    """By P@1: a moves run one in q1, c and y move run two, x moves run one; b and low move nothing."""
    found = pool(RUNS, 3, strategy="change", n=3, metric="P@1", qrels={"q1": {"c": 0}})
    assert sorted(chosen(found)) == [("q1", "a"), ("q2", "x"), ("q2", "y")]
    assert "2 unjudged documents would change nothing" in found.note
    assert "100 % of what all of them would" in found.note


@pytest.mark.parametrize(
    "how, message",
    [
        ({"strategy": "depht"}, "did you mean depth"),
        ({"strategy": "uniform"}, "give the number of documents"),
        ({"n": 3}, "takes no number"),
        ({"strategy": "rrf", "n": 0}, "number of documents must be at least 1"),
        ({"strategy": "stratified"}, "belong together"),
        ({"strata": "10=1"}, "belong together"),
        ({"metric": "AP"}, "looks at no metric"),
        ({"depth": 0}, "depth of a pool is at least 1"),
    ],
)
def test_settings_that_do_not_fit(how, message):
    with pytest.raises(SpecError, match=message):
        pool(RUNS, **how)


def test_sources_that_do_not_belong_together():
    with pytest.raises(InputError, match="no question of the runs is judged there"):
        pool(RUNS, qrels={"other": {"a": 1}})
    with pytest.raises(InputError, match="it has no question of the runs"):
        pool(RUNS, topics=neraca.read_dataset([{"id": "7", "question": "where?"}]))
    with pytest.raises(InputError, match="a run is a path, a mapping or a data frame"):
        pool([3])


def test_topics_give_the_questions_and_their_order():
    topics = neraca.read_dataset([{"id": "q2", "question": "second?"}, {"id": "q1", "question": "first?"}])
    found = pool(RUNS, 1, topics=topics)
    assert [(row["query_id"], row["question"]) for row in found.rows()][:1] == [("q2", "second?")]


def test_a_table_gives_the_texts_that_runs_do_not_show(tmp_path):
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "a", "title": "A", "text": "About a."}\n{"_id": "other", "text": "?"}\n'
    )
    rows = {row["document_id"]: row for row in pool(RUNS, 1, documents=tmp_path / "corpus.jsonl").rows()}
    assert (rows["a"]["text"], rows["a"]["fields"]) == ("About a.", {"title": "A"})
    assert rows["c"]["text"] is None
    rows = {row["document_id"]: row for row in pool(RUNS, 1, documents=[{"docid": "c", "text": "About c."}]).rows()}
    assert rows["c"]["text"] == "About c."
    with pytest.raises(InputError, match="it has '7', the runs 'a'"):
        pool(RUNS, 1, documents=[{"id": 7, "text": "?"}])


ITEMS = [Item(id="q1", query="a house?", constraints={"rooms": Constraint(min=2)}), Item(id="q2", query="a flat?")]
SHOWN = Hit(id="a", text="House A", score=0.9, fields={"price": 10, "rank": 1})


@pytest.fixture
def folders(tmp_path):
    """Two runs; of the first a rule and a person judged something, and b has text in the second only."""
    rule = Verdict(item="q1", about="hit:a", aspect="rooms", value=1, by="rules")
    said = Verdict(item="q1", about="hit:b", aspect="relevance", value=0, by="human:ana")
    one = [Answer(item="q1", hits=(SHOWN, Hit(id="b"))), Answer(item="q2", status="error", hits=(Hit(id="z"),))]
    two = [Answer(item="q1", hits=(Hit(id="c"), Hit(id="b", text="House B"))), Answer(item="q2", hits=(Hit(id="x"),))]
    make_run(tmp_path / "alpha", ITEMS, one, [rule, said])
    make_run(tmp_path / "beta", ITEMS, two)
    return [tmp_path / "alpha", tmp_path / "beta"]


def test_verdicts_in_any_run_count_and_relevance_says_whose(folders):
    assert sorted(chosen(pool(folders))) == [("q1", "c"), ("q2", "x")]
    assert pool(folders).by == ("human", "rules")
    assert sorted(chosen(pool(folders, relevance="human"))) == [("q1", "a"), ("q1", "c"), ("q2", "x")]
    assert sorted(chosen(pool(folders, qrels={"q1": {"c": 2}}))) == [("q2", "x")]


def test_a_rater_sees_text_and_fields_but_neither_system_nor_rank(folders):
    found = pool(folders, relevance="llm")
    rows = {row["document_id"]: row for row in found.rows()}
    assert (rows["a"]["text"], rows["a"]["fields"]) == ("House A", {"price": 10})
    assert rows["b"]["text"] == "House B"
    assert "alpha" not in str(found.rows()), "the name of a run"
    assert {row["grade"] for row in found.rows()} == {None}


def test_a_question_comes_with_those_before_it_in_its_session(tmp_path):
    items = [Item(id=id, query=f"{id}?", session="s") for id in ("q1", "q2", "q3")]
    make_run(tmp_path / "talk", items, [Answer(item=item.id, hits=(Hit(id="a"),)) for item in items])
    found = pool(tmp_path / "talk", qrels={"q1": {"a": 1}})
    assert [row["conversation"] for row in found.rows()] == ["q1?", "q1?\nq2?"]
    made = write_pool_run(found, tmp_path / "pool")
    assert [item.extra["conversation"] for item in made.items] == [["q1?"], ["q1?", "q2?"]]


def test_each_trial_is_a_ranking_of_its_own(tmp_path):
    answers = [Answer(item="q1", trial=trial, hits=(Hit(id=name),)) for trial, name in enumerate("ab")]
    make_run(tmp_path / "r", ITEMS, answers, trials=2)
    found = pool(tmp_path / "r")
    assert sorted(chosen(found)) == [("q1", "a"), ("q1", "b")]
    assert [one.run for one in found.coverage] == ["r", "r (trial 2)"]


def test_runs_of_other_questions_are_refused(folders, tmp_path):
    make_run(tmp_path / "other", ITEMS[:1], [Answer(item="q1")])
    with pytest.raises(InputError, match="answer different questions"):
        pool([*folders, tmp_path / "other"])


def test_a_pool_is_judged_like_a_run_and_its_verdicts_come_back(folders, tmp_path):
    """Ana judges c and x in the pool's folder: c comes back to run two, which returned it, and none to run one."""
    made = write_pool_run(pool(folders, relevance="human"), tmp_path / "pool")
    assert {item.id: item.query for item in made.items} == {"q1": "a house?", "q2": "a flat?"}
    assert {hit.id: hit.score for hit in made.answers()["q1", 0].hits} == {"a": None, "c": None}
    assert "alpha" not in (tmp_path / "pool" / "manifest.json").read_text(), "the name of a run"
    content = content_of(made.answers()["q1", 0])
    with made.writing():
        made.add_verdicts(
            [
                Verdict(item="q1", about="hit:c", aspect="relevance", value=2, by="human:ana", of=content),
                Verdict(item="q2", about="hit:x", aspect="relevance", by="human:ana", status="missing"),
            ]
        )
    with_pool = pool([*folders, tmp_path / "pool"], relevance="human")
    assert sorted(chosen(with_pool)) == [("q1", "a"), ("q2", "x")], "the folder's own hits are not pooled"
    assert [one.run for one in with_pool.coverage] == ["alpha", "beta"]
    runs = [Run(path) for path in folders]
    assert return_verdicts([made], runs) == {str(folders[0]): 0, str(folders[1]): 1}
    assert return_verdicts([made], runs) == {str(folders[0]): 0, str(folders[1]): 0}, "a second time"
    (back,) = runs[1].verdicts()
    assert (back.item, back.about, back.value, back.by, back.of) == ("q1", "hit:c", 2, "human:ana", "")
    assert neraca.score([folders[1]], "P@1", relevance="human").overall()[0].value == 1


def test_a_folder_is_made_once_and_of_something(folders, tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(InputError, match="is there already"):
        write_pool_run(pool(folders), tmp_path / "taken")
    with pytest.raises(InputError, match="nothing to judge"):
        write_pool_run(pool({"a": {"q": {"d": 1}}}, qrels={"q": {"d": 1}}), tmp_path / "new")
    write_pool_run(pool(folders), tmp_path / "alone")
    with pytest.raises(InputError, match="name the runs beside the pool"):
        pool(tmp_path / "alone")


def test_it_prints_what_is_judged_and_what_comes_next():
    text = " ".join(str(pool(RUNS, 2, qrels=QRELS)).split())
    assert "The pool has 5 documents of 2 questions: 2 are judged (by qrels), 3 not." in text
    assert "Of 1 question nothing is judged: q2." in text
    assert "To judge (depth): 3 documents of 2 questions." in text
    assert "one 2 3 0.250 2" in text
    nothing = str(pool(RUNS, 1, qrels={"q1": {"a": 1, "c": 1}, "q2": {"x": 0, "y": 0}}))
    assert "To judge (depth): 0 documents." in nothing
    assert pool(RUNS, 2).to_polars().columns[:4] == ["query_id", "question", "conversation", "document_id"]

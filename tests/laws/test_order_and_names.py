"""Laws of whole results: order, repetition and names change no value, and a text has one value in every form."""

import random

import numpy as np
from builders import make_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import neraca
from neraca.records import Answer, Hit, Item, Verdict

DRAWN = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
SEEDS = st.integers(0, 10**6)
OF_RANKINGS = "P@3 nDCG@5 AP RR"
OF_TEXTS = "TokenF1 ExactMatch ROUGE-L BLEU"
WORDS = ("ṣalāh", "café", "rumah", "año", "the", "garden", "Müller", "two")


def draw_trec(seed):
    """Qrels and two runs without tied scores."""
    chance = random.Random(seed)
    docs = [f"d{n}" for n in range(8)]
    qrels = {f"q{n}": {doc: chance.choice([0, 1, 2]) for doc in docs} | {"d0": 1} for n in range(6)}
    runs = {
        name: {q: dict(zip(chance.sample(docs, 5), (5.0, 4.0, 3.0, 2.0, 1.0), strict=True)) for q in qrels}
        for name in ("a", "b")
    }
    return qrels, runs


def shuffled(mapping, chance):
    """The same mapping in another order, inside too."""
    keys = chance.sample(list(mapping), len(mapping))
    return {key: shuffled(mapping[key], chance) if isinstance(mapping[key], dict) else mapping[key] for key in keys}


def write_trec(folder, qrels, runs, chance=None, mark=""):
    """Write TREC files; with `chance`, their lines are in another order."""
    folder.mkdir(exist_ok=True)
    tables = {"qrels.txt": [f"{q} 0 {doc} {grade}" for q, docs in qrels.items() for doc, grade in docs.items()]}
    for name, run in runs.items():
        tables[f"{name}.run"] = [
            f"{q} Q0 {doc} {rank} {value} {name}"
            for q, docs in run.items()
            for rank, (doc, value) in enumerate(docs.items(), 1)
        ]
    for name, lines in tables.items():
        if chance:
            chance.shuffle(lines)
        (folder / name).write_text(mark + "\n".join(lines) + "\n", encoding="utf-8")
    return folder / "qrels.txt", [folder / f"{name}.run" for name in runs]


def draw_run(seed, raters=("ani", "beni")):
    """Items, answers and people's verdicts."""
    chance = random.Random(seed)
    items = [Item(id=f"q{n}", query=f"question {n}", references=("two houses",)) for n in range(5)]
    answers = [
        Answer(item=item.id, text=chance.choice(["two houses", "a house"]), hits=(Hit(id="d1"), Hit(id="d2")))
        for item in items
    ]
    verdicts = [
        Verdict(item=item.id, about=about, aspect=aspect, value=float(chance.randint(0, top)), by=f"human:{rater}")
        for item in items
        for about, aspect, top in (("answer", "quality", 5), ("hit:d1", "relevance", 1), ("hit:d2", "relevance", 1))
        for rater in raters
    ]
    return items, answers, verdicts


def values_of(scores):
    """Run → metric → item → value."""
    return {
        run.name: {str(metric): scores.by_item(metric, run.name) for metric in scores.metrics} for run in scores.runs
    }


def same(first, second):
    """Whether two results hold the same values to the bit, whatever their order."""
    assert first.keys() == second.keys()
    for key, value in first.items():
        if isinstance(value, dict):
            same(value, second[key])
        else:
            np.testing.assert_equal(second[key], value, str(key))


@DRAWN
@given(SEEDS)
def test_the_order_of_runs_queries_and_documents_changes_no_value_of_rankings(seed):
    qrels, runs = draw_trec(seed)
    chance = random.Random(seed + 1)
    again = neraca.trec(shuffled(qrels, chance), shuffled(runs, chance), OF_RANKINGS)
    same(values_of(neraca.trec(qrels, runs, OF_RANKINGS)), values_of(again))


@DRAWN
@given(SEEDS)
def test_the_order_of_files_and_lines_and_a_byte_order_mark_change_no_value(tmp_path, seed):
    qrels, runs = draw_trec(seed)
    plain, files = write_trec(tmp_path / "plain", qrels, runs)
    first = values_of(neraca.trec(plain, files, OF_RANKINGS))
    for mark in ("", "\ufeff"):
        other, moved = write_trec(tmp_path / "other", qrels, runs, random.Random(seed), mark)
        same(first, values_of(neraca.trec(other, moved[::-1], OF_RANKINGS)))


@DRAWN
@given(SEEDS)
def test_renaming_queries_documents_and_runs_changes_only_names(seed):
    qrels, runs = draw_trec(seed)
    new_qrels = {f"new-{q}": {f"x-{doc}": grade for doc, grade in docs.items()} for q, docs in qrels.items()}
    new_runs = {
        f"run-{name}": {f"new-{q}": {f"x-{doc}": value for doc, value in docs.items()} for q, docs in run.items()}
        for name, run in runs.items()
    }
    before = values_of(neraca.trec(qrels, runs, OF_RANKINGS))
    after = values_of(neraca.trec(new_qrels, new_runs, OF_RANKINGS))
    same(
        {
            f"run-{name}": {m: {f"new-{q}": v for q, v in items.items()} for m, items in of.items()}
            for name, of in before.items()
        },
        after,
    )


@DRAWN
@given(SEEDS)
def test_adding_a_run_changes_no_value_of_the_others(seed):
    qrels, runs = draw_trec(seed)
    more = neraca.trec(qrels, runs | {"c": {"q0": {"d7": 1.0}}}, OF_RANKINGS)
    alone = values_of(neraca.trec(qrels, runs, OF_RANKINGS))
    same(alone, {name: of for name, of in values_of(more).items() if name in alone})


@DRAWN
@given(SEEDS)
def test_the_order_of_raters_and_verdicts_changes_no_value(tmp_path_factory, seed):
    items, answers, verdicts = draw_run(seed)
    orders = [verdicts, verdicts[::-1], random.Random(seed).sample(verdicts, len(verdicts))]
    folder = tmp_path_factory.mktemp("orders")
    first, *others = [
        values_of(neraca.score(make_run(folder / str(place) / "run", items, answers, said), "P@2 Rubric(quality)"))
        for place, said in enumerate(orders)
    ]
    for other in others:
        same(first, other)


@DRAWN
@given(SEEDS)
def test_renaming_raters_and_saying_the_same_twice_change_no_value(tmp_path_factory, seed):
    items, answers, verdicts = draw_run(seed)
    renamed = draw_run(seed, ("zoe", "yan"))[2]
    folder = tmp_path_factory.mktemp("raters")
    first, *others = [
        values_of(neraca.score(make_run(folder / str(place) / "run", items, answers, said), "P@2 Rubric(quality)"))
        for place, said in enumerate((verdicts, renamed, verdicts + verdicts))
    ]
    for other in others:
        same(first, other)


@DRAWN
@given(SEEDS)
def test_a_folder_its_run_and_its_copy_score_alike_to_the_bit(tmp_path_factory, seed):
    items, answers, verdicts = draw_run(seed)
    run = make_run(tmp_path_factory.mktemp("copy") / "run", items, answers, verdicts)
    of_run, of_path = neraca.score(run, "P@2 TokenF1"), neraca.score(str(run.path), "P@2 TokenF1")
    same(values_of(of_run), values_of(of_path))

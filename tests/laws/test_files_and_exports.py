"""Laws of files: how a file is written changes no value, nor does another run, another name, or the way to read it."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest
from builders import make_run
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from law_sources import (
    KINDS,
    RELEVANT,
    answers_of,
    draw_systems,
    items_of,
    text_rows,
    write_folders,
    write_lines,
    write_source,
    write_table,
    write_trec,
)

import neraca
from neraca.records import Verdict

DRAWN = settings(
    max_examples=3,
    phases=[Phase.generate],  # a seed is no smaller than another
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
#: For laws of many forms of a file, which do not hang on what stands in it.
DRAWN_ONCE = settings(DRAWN, max_examples=1)
SEEDS = st.integers(0, 10**6)
every_kind = pytest.mark.parametrize("kind", KINDS)
#: How the same lines can be written.
FORMS = [(mark, end) for mark in ("", "\ufeff") for end in ("\n", "\r\n")]
OF_RANKINGS = "P@3 nDCG@5 RR AP R@3"
OF_TEXTS = "TokenF1 ROUGE-L BLEU TFIDF"


@pytest.fixture
def place(tmp_path_factory):
    """A new folder each time, also for each example of one test."""
    return lambda: tmp_path_factory.mktemp("law")


def rows(outcome):
    assert not outcome.code, outcome.err
    return [json.loads(line) for line in outcome.out.splitlines()]


def values_of(scores):
    """(run, item, metric) → value, to the bit."""
    return {(row["run"], row["item"], row["metric"]): row["value"] for row in scores.per_item().rows()}


def by_item(printed):
    """The same of rows that were printed or read."""
    return {(row["run"], row["item"], row["metric"]): row["value"] for row in printed}


# a folder, its export and Python


@DRAWN
@given(seed=SEEDS)
def test_a_folder_what_is_kept_and_printed_of_it_and_python_agree_to_the_bit(cli, place, seed):
    folder = place()
    path = write_folders(folder, draw_systems(seed, ("run",))).paths["run"]
    metrics = f"{OF_RANKINGS} {OF_TEXTS}"
    values = values_of(neraca.score(path, metrics))
    assert by_item(rows(cli("score", path, "-m", metrics, "-q", "--json"))) == values
    assert by_item(pl.read_parquet(Path(path) / "scores.parquet").to_dicts()) == values
    means = {row["metric"]: row["value"] for row in rows(cli("score", path, "-m", metrics, "--json"))}
    assert means == {str(metric): neraca.score(path, metrics).mean(metric) for metric in metrics.split()}


@DRAWN
@given(seed=SEEDS)
def test_a_report_hands_on_the_values_of_its_folder_to_the_bit(cli, place, seed, monkeypatch):
    monkeypatch.setenv("NERACA_BROWSER", "no-such-browser")
    folder = place()
    path = write_folders(folder, draw_systems(seed, ("run",))).paths["run"]
    metrics = f"{OF_RANKINGS} {OF_TEXTS}"
    assert cli("report", path, "-m", metrics, "--to", folder / "tables").code == 0
    with (folder / "tables/questions.csv").open(encoding="utf-8-sig", newline="") as file:
        written = [row | {"value": float(row["value"])} for row in csv.DictReader(file)]
    assert by_item(written) == values_of(neraca.score(path, metrics))


@DRAWN
@given(seed=SEEDS)
def test_a_folder_and_its_hits_as_trec_files_and_mappings_agree_to_the_bit(cli, place, seed):
    systems = draw_systems(seed, ("run",))
    path = write_folders(place(), systems).paths["run"]
    files = write_trec(place(), systems)
    qrels = {item.id: dict(item.relevant) for item in items_of(systems)}
    ranked = {answer.item: {hit.id: hit.score for hit in answer.hits} for answer in answers_of(systems["run"])}
    values = values_of(neraca.score(path, OF_RANKINGS))
    assert values_of(neraca.trec(qrels, {"run": ranked}, OF_RANKINGS)) == values
    assert values_of(neraca.trec(files.options[1], {"run": files.paths["run"]}, OF_RANKINGS)) == values
    assert values_of(neraca.trec(files.options[1], {"run": path}, OF_RANKINGS)) == values
    printed = rows(cli("score", *files.words(), "-m", OF_RANKINGS, "-q", "--json"))
    assert by_item(printed) == values


@DRAWN_ONCE
@given(seed=SEEDS)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet"])
def test_a_folder_and_its_texts_as_a_table_and_as_lists_agree_to_the_bit(cli, place, suffix, seed):
    systems, folder = draw_systems(seed, ("run",)), place()
    path = write_folders(folder, systems).paths["run"]
    table = text_rows(systems)
    file = folder / f"texts{suffix}"
    if suffix == ".parquet":
        pl.DataFrame(table).write_parquet(file)
    else:
        write_table(file, table)
    metrics = OF_TEXTS.split()
    scores = neraca.score(path, metrics)
    words = ["score", file, "-m", OF_TEXTS, "--reference", "reference", "--response", "run", "-q", "--json"]
    printed = rows(cli(*words))
    lists = neraca.text([row["reference"] for row in table], [row["run"] for row in table], metrics)
    for metric in metrics:
        values = scores.values(metric).tolist()
        assert [row["value"] for row in printed if row["metric"] == metric] == values
        assert lists.values(metric).tolist() == values


# another run


@every_kind
@DRAWN
@given(seed=SEEDS)
def test_adding_a_run_changes_no_value_nor_interval_of_the_others(cli, place, kind, seed):
    """Where relevance and references come with the questions, nothing is pooled."""
    source = write_source(kind, place(), draw_systems(seed, ("a", "b", "c")))
    words = ["-m", " ".join(source.metrics), "--json"]
    few, more = (rows(cli("score", *source.words(*names), *words)) for names in ("ab", "abc"))
    assert few == [row for row in more if row["run"] != "c"]


#: What another run may change of a pair: it is corrected for more comparisons.
CORRECTED = {"p_adjusted", "better", "correction"}


@every_kind
@DRAWN
@given(seed=SEEDS)
def test_adding_a_run_changes_of_a_pair_only_what_is_corrected(cli, place, kind, seed):
    source = write_source(kind, place(), draw_systems(seed, ("a", "b", "c"), loss=0.3))
    words = ["-m", source.metrics[0], "--json"]
    (alone,), (among, *_) = (rows(cli("compare", *source.words(*names), *words)) for names in ("ab", "abc"))
    assert {name for name in alone if alone[name] != among[name]} <= CORRECTED


#: Values that another run may not change where relevance comes from verdicts: they ask only what this run returned.
#: R, AP, nDCG, Rprec, SetR, SetF, Bpref and NumRel may change: they ask how much there is to find (docs/compare.md).
OWN = ("P@3", "RR", "Success", "SetP", "Judged@3", "NumRet", "NumRelRet", "TokenF1", "Words")


@DRAWN
@given(seed=SEEDS)
def test_adding_a_run_whose_hits_were_judged_changes_only_what_depends_on_the_pool(place, seed):
    systems, folder = draw_systems(seed, ("a", "b", "c")), place()
    items = [neraca.Item(id=item.id, query=item.query, references=item.references) for item in items_of(systems)]
    paths = []
    for name, answers in systems.items():
        judged = [
            Verdict(
                item=f"q{row}", about=f"hit:d{doc}", aspect="relevance", value=float(doc in RELEVANT), by="human:ani"
            )
            for row, docs in enumerate(answers)
            for doc in docs
        ]
        paths.append(make_run(folder / name, items, answers_of(answers), judged))
    few, more = neraca.score(paths[:2], OWN), neraca.score(paths, OWN)
    for run in ("a", "b"):
        for metric in OWN:
            assert few.values(metric, run).tolist() == more.values(metric, run).tolist(), metric


def test_what_another_run_found_is_missing_from_the_recall_of_the_others(place):
    """`a` has one of two relevant documents; alone it seems to have all."""
    systems = {"a": [[0, 3, 4, 5, 6]], "c": [[0, 1, 3, 4, 5]]}
    items, folder, paths = [neraca.Item(id="q0", query="?")], place(), []
    for name, answers in systems.items():
        relevant = {doc: float(doc in RELEVANT) for doc in answers[0]}
        said = [
            Verdict(item="q0", about=f"hit:d{doc}", aspect="relevance", value=value, by="human:ani")
            for doc, value in relevant.items()
        ]
        paths.append(make_run(folder / name, items, answers_of(answers), said))
    assert neraca.score(paths[:1], "R@3 P@3").rows()[0]["value"] == 1
    together = neraca.score(paths, "R@3 P@3")
    assert (together.mean("R@3", "a"), together.mean("P@3", "a")) == (1 / 2, 1 / 3)


# other names


@every_kind
@DRAWN
@given(seed=SEEDS)
def test_renaming_questions_documents_and_runs_changes_only_names(cli, place, kind, seed):
    systems = draw_systems(seed, ("a", "b"), loss=0.3)
    renamed = {f"system-{name}": answers for name, answers in systems.items()}
    before, after = write_source(kind, place(), systems), write_source(kind, place(), renamed, "é ü".replace(" ", "-"))
    for command in ("score", "compare"):
        words = ["-m", " ".join(before.metrics), "--json"]
        first, second = (rows(cli(command, *source.words(), *words)) for source in (before, after))
        named = [
            {
                key: f"system-{value}" if key in ("run", "a", "b", "better") and value else value
                for key, value in row.items()
            }
            for row in first
        ]
        assert named == second


@DRAWN
@given(seed=SEEDS)
def test_the_same_answers_taken_in_twice_change_nothing(cli, place, seed):
    systems, folder = draw_systems(seed, ("run",)), place()
    questions = [{"id": item.id, "question": item.query} for item in items_of(systems)]
    write_table(folder / "questions.csv", questions)
    recorded = [
        {"question": f"question {row}", "answer": answer.text} for row, answer in enumerate(answers_of(systems["run"]))
    ]
    write_table(folder / "answers.jsonl", recorded)
    words = ["ask", folder / "questions.csv", "--target", f"replay:{folder / 'answers.jsonl'}", "--out", folder / "run"]
    assert cli(*words).code == 0
    files = {name: (folder / "run" / name).read_bytes() for name in ("items.jsonl", "answers.jsonl")}
    assert cli(*words).code == 0
    assert {name: (folder / "run" / name).read_bytes() for name in files} == files


# other ways to write the same file


@DRAWN
@given(seed=SEEDS)
def test_a_byte_order_mark_and_ends_of_lines_change_no_value_of_trec_files(place, seed):
    systems, folder = draw_systems(seed), place()
    source = write_trec(folder, systems)
    values = values_of(neraca.trec(source.options[1], list(source.paths.values()), OF_RANKINGS))
    for mark, end in FORMS:
        again = place()
        for name in ("qrels.txt", *systems):
            write_lines(again / name, (folder / name).read_text().splitlines(), mark, end)
        assert values_of(neraca.trec(again / "qrels.txt", [again / name for name in systems], OF_RANKINGS)) == values


@DRAWN_ONCE
@given(seed=SEEDS)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json"])
def test_a_byte_order_mark_and_ends_of_lines_change_no_value_of_tables(cli, place, suffix, seed):
    table = text_rows(draw_systems(seed))
    numbers = [{"id": row["id"], "old": len(row["old"]), "new": len(row["new"])} for row in table]
    printed = []
    for mark, end in FORMS:
        folder = place()
        texts = write_table(folder / f"texts{suffix}", table, mark, end)
        values = write_table(folder / f"values{suffix}", numbers, mark, end)
        words = ["--reference", "reference", "--response", "new", "--response", "old", "-m", OF_TEXTS]
        printed.append(rows(cli("score", texts, *words, "-q", "--json")) + rows(cli("score", values, "-q", "--json")))
    assert all(one == printed[0] for one in printed)


@DRAWN_ONCE
@given(seed=SEEDS)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json"])
def test_a_byte_order_mark_and_ends_of_lines_change_no_question_and_no_rating(cli, place, suffix, seed):
    systems = draw_systems(seed, ("run",))
    questions = [{"id": item.id, "question": item.query, "reference": item.references[0]} for item in items_of(systems)]
    recorded = [
        {"question": f"question {row}", "answer": answer.text} for row, answer in enumerate(answers_of(systems["run"]))
    ]
    ratings = [
        {"query_id": f"q{row}", "question": f"question {row}", "response_quality": row % 6, "rater": "ani"}
        for row in range(len(questions))
    ]
    printed = []
    for mark, end in FORMS:
        folder = place()
        write_table(folder / f"questions{suffix}", questions, mark, end)
        write_table(folder / f"answers{suffix}", recorded, mark, end)
        target = f"replay:{folder / f'answers{suffix}'}"
        told = cli("ask", folder / f"questions{suffix}", "--target", target, "--out", folder / "run")
        assert told.code == 0, told.err
        if suffix == ".csv":
            file = write_table(folder / "ratings-ani.csv", ratings, mark, end)
            told = cli("rate", "import", file, "--run", folder / "run")
            assert told.code == 0, told.err
        quality = " Rubric(quality)" if suffix == ".csv" else ""
        printed.append(rows(cli("score", folder / "run", "-m", f"TokenF1{quality}", "-q", "--json")))
    assert len(printed[0]) == len(questions) * (1 + (suffix == ".csv"))
    assert all(row["value"] is not None for row in printed[0])
    assert all(one == printed[0] for one in printed)


def test_a_byte_order_mark_and_ends_of_lines_change_no_rule_of_a_gate(cli, place):
    source = write_source("trec", place(), draw_systems(1))
    printed = []
    for mark, end in FORMS:
        file = write_lines(
            place() / "rules.txt", ["# rules", "P@3 >= baseline - 0.05", "RR > 0.1  # enough"], mark, end
        )
        told = cli("gate", *source.gate_words("new", "old"), "--rules", file, "--json")
        printed.append(told.out)
        assert len(printed[0].splitlines()) == 2, told.err
    assert set(printed) == {printed[0]}

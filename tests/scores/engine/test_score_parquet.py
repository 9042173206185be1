"""Parquet files scored unit by unit: the numbers of all rows at once, every row once, whatever happened."""

import json
import random
from pathlib import Path

import polars as pl
import pytest
from builders import make_run

import neraca
from neraca.errors import InputError, RunError, SpecError
from neraca.records import Answer, Item, Verdict
from neraca.scores.engine import local
from neraca.scores.engine.score_unit import score_unit
from neraca.scores.engine.scored import ScoredFolder
from neraca.scores.score_parquet import ScaleOptions, score_parquet

WORDS = ("the", "red", "car", "has", "two", "floors", "and", "a", "garden", "near", "sea", "of", "green", "houses")
ONE = ScaleOptions(workers=1)


def texts(n, seed=0):
    chance = random.Random(seed)

    def text():
        return " ".join(chance.choices(WORDS, k=chance.randrange(3, 12)))

    return pl.DataFrame({"id": [f"q{k}" for k in range(n)], "response": [text() for _ in range(n)]}).with_columns(
        reference=pl.Series([text() for _ in range(n)]),
        category=pl.Series(["short" if k % 3 else "long" for k in range(n)]),
    )


def rankings(n):
    chance = random.Random(1)
    return [
        {
            "id": f"q{k}",
            "hits": list(dict.fromkeys(f"d{chance.randrange(30)}" for _ in range(8))),
            "relevant": {f"d{chance.randrange(30)}": chance.randrange(4) for _ in range(5)},
        }
        for k in range(n)
    ]


@pytest.fixture
def data(tmp_path):
    """A file of 100 rows in row groups of 10."""
    texts(100).write_parquet(tmp_path / "data.parquet", row_group_size=10)
    return tmp_path / "data.parquet"


@pytest.fixture
def small_units(monkeypatch):
    """Each row group is a unit of its own."""
    import neraca.scores.score_parquet as module

    units_of = module.units_of
    monkeypatch.setattr(module, "units_of", lambda sources: units_of(sources, 1))


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    "metrics", ["TokenF1 ROUGE-L ExactMatch", "CorpusBLEU BLEU WER", "METEOR TFIDF(idf=corpus) chrF"]
)
@pytest.mark.usefixtures("small_units")
def test_metrics_of_texts_are_those_of_all_rows_at_once(data, tmp_path, metrics):
    found = score_parquet(data, metrics, tmp_path / "out", ONE)
    frame = pl.read_parquet(data)
    whole = neraca.text(frame["reference"], frame["response"], metrics)
    values = pl.read_parquet(tmp_path / "out/values")
    assert values["id"].to_list() == frame["id"].to_list()
    for name in metrics.split():
        assert values[name].to_list() == pytest.approx([None if v != v else v for v in whole.values(name).tolist()])
    for ours, theirs in zip(found.overall(), whole.overall(), strict=True):
        assert (ours.metric, ours.n, ours.unscored) == (theirs.metric, theirs.n, theirs.unscored)
        assert [ours.value, ours.low, ours.high] == pytest.approx([theirs.value, theirs.low, theirs.high], nan_ok=True)


@pytest.mark.usefixtures("small_units")
def test_metrics_of_rankings_are_those_of_trec_files(tmp_path):
    rows = rankings(120)
    pl.DataFrame([row | {"relevant": json.dumps(row["relevant"])} for row in rows]).write_parquet(
        tmp_path / "data.parquet", row_group_size=25
    )
    metrics = "nDCG@5 AP RR ERR@5 P@5 RBP NumRet Judged@5 GMAP"  # ERR and RBP look at the largest grade of all rows
    found = score_parquet(tmp_path / "data.parquet", metrics, tmp_path / "out", ONE)
    qrels = {row["id"]: row["relevant"] for row in rows}
    run = {row["id"]: {doc: 9.0 - rank for rank, doc in enumerate(row["hits"])} for row in rows}
    whole = neraca.trec(qrels, {"run": run}, metrics)
    for ours, theirs in zip(found.overall(), whole.overall(), strict=True):
        assert ours.metric == theirs.metric
        assert [ours.value, ours.low, ours.high] == pytest.approx([theirs.value, theirs.low, theirs.high])


def test_verdicts_calls_and_constraints_of_a_row_count(tmp_path):
    rule = {"about": "hit:a", "aspect": "price", "by": "rules"}
    rows = [
        {
            "question": "a?",
            "response": "yes",
            "expects": "results",
            "hits": ["a"],
            "constraints": '{"price": {"max": 5}}',
        }
        | {"verdicts": [{**rule, "value": 1.0}, {"about": "answer", "aspect": "valid", "by": "llm:m", "value": 1.0}]}
        | {"calls": '[{"name": "find"}]', "expected_calls": '[{"name": "find"}]'},
        {
            "question": "b?",
            "response": "no",
            "expects": "results",
            "hits": ["a"],
            "constraints": '{"price": {"max": 5}}',
        }
        | {
            "verdicts": [
                {**rule, "value": 0.0},
                {"about": "answer", "aspect": "valid", "by": "human:Ana", "value": 0.0},
            ]
        }
        | {"calls": '[{"name": "other"}]', "expected_calls": '[{"name": "find"}]'},
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "data.parquet")
    found = score_parquet(
        tmp_path / "data.parquet", "Valid QuerySuccess PassRatio ToolCallF1 P@1", tmp_path / "out", ONE
    )
    assert {row.metric: row.value for row in found.overall()} == {
        "Valid": 0.5,
        "QuerySuccess": 0.5,
        "PassRatio": 0.5,
        "ToolCallF1": 0.5,
        "P@1": 0.5,
    }


@pytest.mark.usefixtures("small_units")
def test_a_ratio_of_refusals_rests_on_as_many_answers_as_in_a_run(tmp_path):
    """10 questions, of which 5 have no answer: 3 refusals are right, 1 is wrong."""
    expects, declines = ["none"] * 5 + ["results"] * 5, [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    rows, items, verdicts = [], [], []
    for k, (expected, value) in enumerate(zip(expects, declines, strict=True)):
        verdict = {"about": "answer", "aspect": "declines", "by": "human:ani", "value": float(value)}
        rows.append({"id": f"q{k}", "response": "so", "expects": expected, "verdicts": [verdict]})
        items.append(Item(id=f"q{k}", query="?", expects=expected))
        verdicts.append(Verdict(item=f"q{k}", **verdict))
    pl.DataFrame(rows).write_parquet(tmp_path / "data.parquet", row_group_size=3)
    metrics = "RefusalPrecision RefusalRecall RefusalF1"
    found = score_parquet(tmp_path / "data.parquet", metrics, tmp_path / "out", ONE).overall()
    run = make_run(tmp_path / "run", items, [Answer(item=item.id, text="so") for item in items], verdicts)
    assert [(row.value, row.n) for row in found] == [(0.75, 4), (0.6, 5), (pytest.approx(2 / 3), 6)]
    for ours, theirs in zip(found, neraca.score(run, metrics).overall(), strict=True):
        assert (ours.n, ours.unscored, ours.method) == (theirs.n, theirs.unscored, theirs.method)
        assert [ours.value, ours.low, ours.high] == pytest.approx([theirs.value, theirs.low, theirs.high])


def test_claims_of_an_answer_are_scored_with_and_without_contexts(tmp_path):
    def verdict_cell(about, aspect, value):
        return {"about": about, "aspect": aspect, "by": "llm:m", "value": float(value)}

    verdicts = [
        verdict_cell("answer", "claims", 2),
        verdict_cell("claim:1", "correct", 1),
        verdict_cell("claim:2", "correct", 0),
    ]
    verdicts += [verdict_cell("answer", "reference_claims", 1), verdict_cell("reference:1", "stated", 1)]
    verdicts += [
        verdict_cell("answer", "contexts", 1),
        verdict_cell("claim:1", "supported", 1),
        verdict_cell("claim:2", "supported", 0),
    ]
    row = {"response": "two rooms, ten floors", "reference": "two rooms", "verdicts": [verdicts]}
    pl.DataFrame(row).write_parquet(tmp_path / "plain.parquet")
    pl.DataFrame(row | {"contexts": [["two rooms"]]}).write_parquet(tmp_path / "with.parquet")
    # one of two claims is right, and the one of the reference is stated: F is 2 * .5 * 1 / 1.5
    plain = score_parquet(tmp_path / "plain.parquet", "ClaimF", tmp_path / "out", ONE)
    assert plain.overall()[0].value == pytest.approx(2 / 3)
    found = score_parquet(tmp_path / "with.parquet", "ClaimF Faithfulness", tmp_path / "out 2", ONE)
    assert [row.value for row in found.overall()] == pytest.approx([2 / 3, 0.5])


def test_rows_that_cannot_be_scored_go_aside_with_the_reason(tmp_path):
    rows = [
        {"id": "whole", "hits": '["a"]', "relevant": '{"a": 1}'},
        {"id": "torn", "hits": '["a"', "relevant": '{"a": 1}'},
        {"id": "unjudged", "hits": '["a"]', "relevant": None},
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "data.parquet")
    found = score_parquet(tmp_path / "data.parquet", "P@1 RR", tmp_path / "out", ONE)
    assert pl.read_parquet(tmp_path / "out/values")["P@1"].to_list() == [1.0, None, None]
    aside = pl.read_parquet(tmp_path / "out/unscored").filter(pl.col("metric") == "P@1").to_dicts()
    assert [(row["row"], row["id"], row["system"]) for row in aside] == [(1, "torn", "hits"), (2, "unjudged", "hits")]
    assert aside[0]["why"].startswith("column 'hits': not valid JSON")
    assert aside[1]["why"].startswith("nobody judged its hits")
    assert aside == [row for row in found.unscored() if row["metric"] == "P@1"]
    assert [(row.n, row.unscored) for row in found.overall()] == [(1, 2), (1, 2)]


def test_systems_and_groups_stand_beside_each_other(tmp_path):
    frame = texts(60).rename({"response": "old"}).with_columns(new=pl.col("reference"))
    frame.write_parquet(tmp_path / "data.parquet")
    options = ScaleOptions(response=["old", "new"], group=["category"], workers=1)
    found = score_parquet(tmp_path / "data.parquet", "ExactMatch", tmp_path / "out", options)
    assert {row.run: row.value for row in found.overall()}["new"] == 1
    assert {(row.run, row.group, row.n) for row in found.by_group("category")} == {
        (system, f"category={name}", n) for system in ("old", "new") for name, n in (("long", 20), ("short", 40))
    }
    assert pl.read_parquet(tmp_path / "out/values").columns == ["id", "old ExactMatch", "new ExactMatch"]


def test_rows_without_an_id_are_numbered_through_all_files_of_a_folder(tmp_path):
    for name, n in (("b", 3), ("a", 2)):
        (tmp_path / "data").mkdir(exist_ok=True)
        texts(n).drop("id").write_parquet(tmp_path / f"data/{name}.parquet")
    (tmp_path / "data/_delta_log").mkdir()
    (tmp_path / "data/_delta_log/x.parquet").write_bytes(b"no part of the data")
    score_parquet(tmp_path / "data", "TokenF1", tmp_path / "out", ONE)
    assert pl.read_parquet(tmp_path / "out/values")["row"].to_list() == [0, 1, 2, 3, 4]


@pytest.mark.usefixtures("small_units")
def test_two_processes_write_what_one_writes(data, tmp_path):
    score_parquet(data, "TokenF1", tmp_path / "one", ONE)
    told = []
    score_parquet(data, "TokenF1", tmp_path / "two", ScaleOptions(workers=2), lambda *how: told.append(how))
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert told[-1][:2] == (100, 100)
    assert "rows/s, 0 s left" in told[-1][2]


@pytest.mark.usefixtures("small_units")
def test_what_was_begun_goes_on_and_what_is_done_stays(data, tmp_path, monkeypatch):
    score_parquet(data, "TokenF1", tmp_path / "whole", ONE)
    done = []

    def stopping(job, unit):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(unit.name)
        score_unit(job, unit)

    monkeypatch.setattr(local, "score_unit", stopping)
    with pytest.raises(KeyboardInterrupt):
        score_parquet(data, "TokenF1", tmp_path / "out", ONE)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out/values").iterdir()}
    assert sorted(path.name for path in before) == done
    monkeypatch.setattr(local, "score_unit", lambda job, unit: (done.append(unit.name), score_unit(job, unit)))
    score_parquet(data, "TokenF1", tmp_path / "out", ONE)
    assert len(done) == len(set(done)) == 10
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_another_table_is_copied_as_parquet_first_and_only_once(tmp_path):
    import gzip

    frame = texts(70)
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(frame.write_csv().encode()))
    found = score_parquet(tmp_path / "data.csv.gz", "TokenF1", tmp_path / "out", ONE)
    frame.write_parquet(tmp_path / "data.parquet")
    assert found.rows() == score_parquet(tmp_path / "data.parquet", "TokenF1", tmp_path / "other", ONE).rows()
    (copy,) = (tmp_path / "out/source").iterdir()
    before = copy.stat().st_mtime_ns
    score_parquet(tmp_path / "data.csv.gz", "TokenF1", tmp_path / "out", ONE)
    assert copy.stat().st_mtime_ns == before
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(texts(60).write_csv().encode()))
    with pytest.raises(RunError, match="holds results of something else"):
        score_parquet(tmp_path / "data.csv.gz", "TokenF1", tmp_path / "out", ONE)


def test_a_folder_of_something_else_is_not_touched(data, tmp_path):
    score_parquet(data, "TokenF1", tmp_path / "out", ONE)
    before = files(tmp_path / "out")
    with pytest.raises(RunError, match=r'metrics was "TokenF1" and is "ROUGE-L"; choose another folder'):
        score_parquet(data, "ROUGE-L", tmp_path / "out", ONE)
    texts(100, seed=5).write_parquet(data, row_group_size=10)
    with pytest.raises(RunError, match="holds results of something else: sources"):
        score_parquet(data, "TokenF1", tmp_path / "out", ONE)
    assert files(tmp_path / "out") == before
    assert ScoredFolder.of(str(tmp_path / "out")).rows_done == 100


def test_the_language_is_found_in_all_rows(tmp_path):
    spanish = ["La casa es de mi abuela y está en el centro de la ciudad, pero no tiene jardín."] * 30
    pl.DataFrame({"response": spanish, "reference": spanish}).write_parquet(tmp_path / "data.parquet")
    how = ScaleOptions(language="auto", workers=1)
    found = score_parquet(tmp_path / "data.parquet", "TokenF1", tmp_path / "out", how)
    assert found.languages == ("es",)


@pytest.mark.parametrize(
    ("columns", "metrics", "message"),
    [
        ({"response": ["a"]}, "TokenF1", "no column for the reference"),
        ({"reference": ["a"]}, "TokenF1", "no column for the response"),
        ({"hits": [["a"]]}, "P@5", "P@5 needs a column relevant or verdicts, and there is none"),
        ({"relevant": [["a"]]}, "P@5", "metrics of rankings need a column hits"),
        ({"response": ["a"], "reference": ["a"]}, "Faithfulness", "Faithfulness needs a column verdicts"),
        ({"response": ["a"], "reference": ["a"]}, "", "there is no metric to score with"),
        ({"response": ["a"], "reference": ["a"]}, "TokenF2", "TokenF1"),
        ({"response": [], "reference": []}, "TokenF1", "there is no row in it"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_written(tmp_path, columns, metrics, message):
    pl.DataFrame(columns).write_parquet(tmp_path / "data.parquet")
    with pytest.raises((SpecError, InputError), match=message):
        score_parquet(tmp_path / "data.parquet", metrics, tmp_path / "out", ONE)
    assert not (tmp_path / "out").exists()


def test_files_that_are_none_or_differ_are_named(tmp_path):
    with pytest.raises(InputError, match="there is no Parquet file at or below it"):
        score_parquet(tmp_path, "TokenF1", tmp_path / "out", ONE)
    (tmp_path / "a.parquet").write_text("id,response\n")
    with pytest.raises(InputError, match=r"a\.parquet: not a Parquet file"):
        score_parquet(tmp_path, "TokenF1", tmp_path / "out", ONE)
    texts(3).write_parquet(tmp_path / "a.parquet")
    texts(3).drop("reference").write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r'b\.parquet: no column "reference", which .*a\.parquet has'):
        score_parquet(tmp_path, "TokenF1", tmp_path / "out", ONE)
    with pytest.raises(InputError, match="a file is named twice"):
        score_parquet([tmp_path / "a.parquet", tmp_path / "a.parquet"], "TokenF1", tmp_path / "out", ONE)


def test_a_metric_of_the_user_is_loaded_where_it_is_needed(data, tmp_path):
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "import neraca\n\n\n@neraca.metric('Longer')\ndef longer(reference: str, response: str) -> float:\n"
        "    return float(len(response) > len(reference))\n"
    )
    texts(40).write_parquet(data, row_group_size=20)
    import neraca.scores.score_parquet as module

    units = module.units_of(module.sources_of([str(data)]), 1)
    assert len(units) == 2
    found = score_parquet(data, "Longer", tmp_path / "out", ScaleOptions(plugins=[plugin], workers=2))
    frame = pl.read_parquet(data)
    longer = (frame["response"].str.len_chars() > frame["reference"].str.len_chars()).mean()
    assert found.overall()[0].value == pytest.approx(longer)


def test_a_script_needs_no_guard_around_its_main_part(data, tmp_path):
    import subprocess
    import sys

    script = tmp_path / "script.py"
    script.write_text(
        "from neraca.scores.score_parquet import ScaleOptions, score_parquet\n"
        f"print(score_parquet({str(data)!r}, 'TokenF1', {str(tmp_path / 'out')!r}, ScaleOptions(workers=2)))\n"
    )
    texts(60_000).write_parquet(data, row_group_size=20_000)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "60,000" in done.stdout
    assert Path(tmp_path / "out/scores.jsonl").is_file()


@pytest.mark.parametrize(
    ("metrics", "language"), [("TFIDF(idf=corpus) TokenF1", "en"), ("TokenF1", "auto"), ("ERR@5", "")]
)
@pytest.mark.usefixtures("small_units")
def test_what_is_learnt_of_all_rows_is_learnt_once(tmp_path, metrics, language):
    frame = pl.DataFrame(rankings(100)).drop("relevant").hstack(texts(100).select("response", "reference"))
    relevant = pl.Series("relevant", [json.dumps(row["relevant"]) for row in rankings(100)])
    frame.with_columns(relevant).write_parquet(tmp_path / "data.parquet", row_group_size=10)
    how = ScaleOptions(workers=1, language=language)

    def notes(out):
        told = []
        score_parquet(tmp_path / "data.parquet", metrics, out, how, lambda *verdict_cell: told.append(verdict_cell[2]))
        return {note for note in told if note.startswith("looking")}

    assert notes(tmp_path / "out") == {"looking at all rows first"}
    whole = files(tmp_path / "out")
    for unit in sorted((tmp_path / "out/values").iterdir())[3:]:
        unit.unlink()
    assert notes(tmp_path / "out") == set(), "begun again, the rows are not looked at again"
    assert files(tmp_path / "out") == whole
    next((tmp_path / "out/values").iterdir()).unlink()
    (tmp_path / "out/learned.json").write_text("{")
    with pytest.raises(InputError, match=r"learned\.json: cannot be read.*delete it"):
        notes(tmp_path / "out")


def test_where_nothing_must_be_learnt_nothing_is_kept(data, tmp_path):
    score_parquet(data, "TokenF1", tmp_path / "out", ONE)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["scored.json", "scores.jsonl", "values"]

"""What the functions at the face of the package return: short tables, also in notebooks, with rows and data frames."""

import inspect
import json
import sys
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from builders import make_answer, make_run
from comparisons.drifting_run import weeks_of, write_run
from generation.planted_questions import Writer, branches, reply_to, write_folder
from judges.scripted_model import Script

import neraca
from neraca.errors import MissingExtra, SpecError
from neraca.models.model_session import ModelSession
from neraca.records import Verdict
from neraca.result import Results, Sentences, Shown, Table, Tabular
from neraca.runs.preferred import preferred_over

QUESTIONS = [
    {"question": f"question {n} {'of many words ' * 9}", "relevant": {"a": 1, "b": n % 3}, "category": "xyz"[n % 3]}
    for n in range(60)
]
METRICS = "nDCG@10 P@5 P(of=returned)@5 SetP SetR RR AP Success Coverage NumRet nDCG@5 R@5 P@1"
#: It is not asked, since equal answers are even without it.
MODEL = {"model": "openai:none"}
STUDY = """
name = "small"
dataset.file = "q.csv"
targets.a = { kind = "replay", file = "a.jsonl" }
score.metrics = ["ROUGE-L"]
"""
#: Those whose work is not a result: they write a file, hand back what they register, open a log, serve a live system.
SILENT = {
    "ask_async",
    "judge_async",
    "run_study_async",
    "judge_pairs_async",
    "interleave",
    "metric",
    "search_log",
    "write_dataset",
    "write_report",
}


HOMES = [{"id": f"h{n}", "city": ("Leeds", "York")[n % 2], "price": 100 * n} for n in range(1, 21)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Function at the face → what it returned."""
    folder = tmp_path_factory.mktemp("face")
    systems = {"first": "a b", "second": "c a", "third": "b"}
    items = neraca.read_dataset(QUESTIONS)
    runs = [
        make_run(
            folder / name,
            items.items,
            [make_answer(docs if n % 5 else "c", i.id, text=name) for n, i in enumerate(items)],
        )
        for name, docs in systems.items()
    ]
    verdicts = [
        [
            Verdict(item=i.id, about="answer", aspect="valid", by=by, value=float(n % k == 0))
            for n, i in enumerate(items)
        ]
        for by, k in (("human:Ana", 2), ("llm:m", 3))
    ]
    scores = neraca.score(runs, METRICS)
    differences = neraca.compare(scores)
    texts = ["the red car", "two floors"], {"old": ["a red car", None], "new": ["the car", "two floors"]}
    (folder / "study.toml").write_text(STUDY)
    (folder / "q.csv").write_text("id,question,reference\n1,rooms?,two rooms\n2,price?,ten\n")
    (folder / "a.jsonl").write_text('{"item": "1", "text": "two"}\n{"item": "2", "text": "ten"}\n')
    (folder / "log.csv").write_text("query,count\nhouse in Leeds,9\nflat in York,3\nflat with lift,1\n")
    labelled = [{"question": "Is it so?", "response": "Yes.", "label": n % 2} for n in range(70)]
    (folder / "labelled.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in labelled))
    varied = neraca.add_variants(items, "typo", language="en")
    qrels = {f"q{n}": {"d": 1} for n in range(9)}
    compared = [
        make_run(
            folder / f"compared {name}",
            items.items,
            runs[0].answers().values(),
            [*judged_and_rated(items, flip), *said_of(items, other, wins)],
        )
        for name, other, wins, flip in (("one", "compared two", 0.75, 4), ("two", "compared one", 0.25, 5))
    ]
    judged = neraca.score(compared, "Valid", correct="ppi")
    write_events(folder / "events.jsonl")
    rows = {"reference": ["two rooms", "ten"] * 20, "old": ["two", "ten"] * 20, "new": ["two rooms", "eleven"] * 20}
    pl.DataFrame(rows).write_parquet(folder / "rows.parquet")
    how = neraca.ScaleOptions(response=["old", "new"], workers=1)
    in_folder = neraca.score_parquet(folder / "rows.parquet", "TokenF1 ExactMatch", folder / "scored", how)
    return {
        "score_parquet": in_folder,
        "compare_folders": neraca.compare_folders([in_folder]),
        "ab": neraca.ab(neraca.search_log(folder / "events.jsonl"), options=neraca.AbOptions(checks=2)),
        "click_models": neraca.click_models(neraca.search_log(folder / "events.jsonl"), ["CM"]),
        "analyse_interleaving": neraca.analyse_interleaving(folder / "events.jsonl"),
        "read_dataset": items,
        "check": neraca.check("two rooms and a garden", must_contain="garden; pool"),
        "generate": neraca.generate(HOMES, 4, language="en"),
        "generate_from_log": neraca.generate_from_log(folder / "log.csv", 2),
        "generate_from_documents": questions_about_branches(folder),
        "add_variants": varied,
        "by_variant": neraca.by_variant(neraca.score([neraca.ask(varied.dataset, str, folder / "varied")], "Words")),
        "validate_judge": neraca.validate_judge(folder / "labelled.jsonl", SaysOne()),
        "ask": neraca.ask(QUESTIONS, lambda question: question, folder / "asked"),
        "judge": neraca.judge(runs[0], "rules"),
        "preferences": neraca.preferences(compared),
        "pool": neraca.pool(runs, 5),
        "corrections": neraca.corrections(judged),
        "corrected_differences": neraca.corrected_differences(judged, neraca.compare(judged)),
        "plan_labels": neraca.plan_labels(judged),
        "judge_pairs": neraca.judge_pairs(
            runs[0], make_run(folder / "twin", items.items, runs[0].answers().values()), MODEL
        )[0],
        "score": scores,
        "trec": neraca.trec(qrels, {"run": {q: {"d": 1.0} for q in qrels}}, "RR AP"),
        "text": neraca.text(*texts, "TokenRecall ROUGE-L"),
        "values": neraca.values({"A": [0.5, 0.75, 1], "B": [0.25, 1, 1]}),
        "compare": differences,
        "read_traces": neraca.read_traces(Path(__file__).with_name("traces") / "golden" / "langfuse.jsonl"),
        "evaluations": neraca.evaluations(
            neraca.read_traces(Path(__file__).with_name("traces") / "golden" / "genai.jsonl", folder / "traced").run,
            "Words",
        ),
        "drift": neraca.drift(write_run(folder / "timed", weeks_of([0.9, 0.6], 30)), "Valid", reference=1),
        "gate": neraca.gate(neraca.score(runs[:2], "RR"), rules=["RR >= -0.02", "RR > 0.5"]),
        "power": neraca.power(0.2, difference=0.05),
        "reliability": neraca.reliability(scores),
        "correlate": neraca.correlate(scores),
        "agreement": neraca.agreement(items.items, [v for several in verdicts for v in several]),
        "report": neraca.report(scores, differences),
        "notes": neraca.notes(neraca.trec(qrels, {"run": {"q1": {"d": 1.0}}}, "RR")),
        "run_study": neraca.run_study(folder / "study.toml"),
    }


class SaysOne:
    """A judge to whom all is right."""

    by = "llm:one#123456"

    def judge(self, pairs, session):
        for item, _ in pairs:
            yield Verdict(item=item.id, about="answer", aspect="good", by=self.by, value=1.0)


def questions_about_branches(folder):
    """Two questions about a folder of documents, written and read by a script."""
    script = Script(lambda prompt, repeat: reply_to(Writer(()))(prompt))
    with ModelSession(folder / "calls.sqlite", concurrency=1) as session:
        return neraca.generate_from_documents(
            write_folder(folder / "docs", branches(5)), 2, model="openai:w", session=session, chat=script
        )


def judged_and_rated(items, flip):
    """What a judge says is right of every answer, and what a person says of the first forty."""
    for n, item in enumerate(items):
        yield Verdict(item=item.id, about="answer", aspect="valid", by="llm:m", value=float(n % 3 > 0))
        if n < 40:
            yield Verdict(item=item.id, about="answer", aspect="valid", by="human:Ana", value=float(n % flip > 0))


def said_of(items, other, value):
    """What a person says of each answer beside that of another run."""
    for item in items:
        yield Verdict(item=item.id, about="answer", aspect=preferred_over(other), by="human:Ana", value=value)


def write_events(path):
    """Two arms of thirty users, all with interleaved results; most click on what the ranker `new` brought."""
    events = []
    for n in range(60):
        search = {"user": f"u{n}", "search": f"s{n}", "time": 1.7e9 + n}
        seen = {"query": f"q{n % 3}", "shown": ["d1", "d2"], "teams": ["old", "new"]}
        events.append({"action": "search", **search, **seen, "variant": "AB"[n % 2]})
        if n % 7:
            events.append({"action": "click", **search, "time": 1.7e9 + n + 5, "rank": 2 - (n % 5 == 0)})
    path.write_text("\n".join(map(json.dumps, events)))


class Tags(HTMLParser):
    """Takes note of tags that are not closed in their order, and of how many rows there are."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.wrong = [], 0, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def test_every_function_at_the_face_is_here(results):
    functions = {name for name in neraca.__all__ if inspect.isfunction(getattr(neraca, name))}
    assert functions - SILENT == results.keys()


def test_results_print_as_short_tables_and_show_them_in_notebooks(results):
    for name, result in results.items():
        assert isinstance(result, Shown), name
        one_line = name == "check"  # pytest shows it beside a failed assertion
        assert str(result) == repr(result) or (one_line and len(repr(result).splitlines()) == 1)
        assert 0 < len(str(result)) < 4000, f"{name}: {len(str(result))}"
        assert max(map(len, str(result).splitlines())) <= 100, name
        page = Tags(result._repr_html_())
        assert (page.open, page.wrong) == ([], []), name
        assert page.rows > 1 or name == "notes"
        assert len(result._repr_html_()) < 40_000


def test_results_give_rows_and_data_frames(results):
    with_rows = {name for name, result in results.items() if isinstance(result, Tabular)}
    assert results.keys() - with_rows == {"judge", "judge_pairs", "report", "notes"}
    for name in with_rows:
        rows = results[name].rows()
        assert rows, name
        assert all(isinstance(row, dict) for row in rows)
        frame, other = results[name].to_polars(), results[name].to_pandas()
        assert isinstance(frame, pl.DataFrame)
        assert isinstance(other, pd.DataFrame)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        assert frame.columns == list(other.columns) == columns
        assert len(frame) == len(other) == len(rows)


def test_one_metric_is_a_mapping_from_runs_to_means(results):
    found = results["score"]["RR"]
    # `first` finds "a" first, and "c" alone on every fifth of 60 questions
    assert found["first"] == pytest.approx(48 / 60)
    assert list(found) == ["first", "second", "third"]
    assert max(found, key=found.get) == "first"
    with pytest.raises(KeyError, match="did you mean first"):
        found["frist"]
    with pytest.raises(SpecError, match="was not scored"):
        results["score"]["R@7"]
    each = found.by_item()
    assert each.rows()[1] == {"item": "2", "category": "y", "first": 1.0, "second": 0.5, "third": 1.0}
    assert len(each) == 60
    assert "… and 20 more rows" in str(each)


def test_scores_item_by_item_say_why_there_is_none(results):
    unknown = neraca.text(["two floors", None], ["two floors", "one"], "TokenRecall").per_item()
    assert [(row["metric"], row["value"]) for row in unknown] == [("TokenRecall", 1.0), ("TokenRecall", None)]
    assert [bool(row["why"]) for row in unknown] == [False, True]
    assert len(results["score"].per_item()) == 3 * 13 * 60


class Two(Results):
    def _tables(self):
        yield Table(["name", "value"], [["<b>&", "1"], ["long", "2"]], "a title", most=1)

    def rows(self):
        return [{"a": 1, "b": {"x": None}, "c": ["t"]}, {"a": "one", "c": None, "d": 0.5}]


def test_a_table_is_escaped_and_says_what_it_leaves_out():
    assert str(Two([1])).splitlines() == ["a title", "name  value", "───────────", "<b>&      1", "… and 1 more rows"]
    shown = Two([1])._repr_html_()
    assert "&lt;b&gt;&amp;" in shown
    assert "<caption>a title</caption>" in shown
    assert "long" not in shown


def test_cells_of_several_kinds_become_text_and_mappings_json():
    frame = Two().to_polars()
    assert frame.rows() == [("1", '{"x": null}', ["t"], None), ("one", None, None, 0.5)]
    assert Two().to_pandas()["b"].tolist()[0] == '{"x": null}'


def test_without_pandas_it_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match="pip install pandas"):
        Two().to_pandas()


def test_sentences_are_printed_below_each_other():
    assert str(Sentences(["One.", "Two."])) == "One.\nTwo."

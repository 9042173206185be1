"""TREC's files at the command line: encodings of every file, judged queries without a question, baselines."""

from pathlib import Path

import pytest

QRELS = "".join(f"t{n} 0 calle-peña-{n} {n % 2}\n" for n in range(1, 6))
RUN = "".join(f"t{n} Q0 calle-peña-{n} 1 1.0 x\n" for n in range(1, 6))


@pytest.fixture
def latin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Topics for two of five judged queries; qrels of two raters, who differ on one document; a run."""
    monkeypatch.chdir(tmp_path)
    Path("q.topics").write_text("t1\t¿dónde está la peña?\nt2\tcasa\n", encoding="latin-1")
    Path("a.qrels").write_text(QRELS, encoding="latin-1")
    Path("b.qrels").write_text(QRELS.replace("peña-5 1", "peña-5 0"), encoding="latin-1")
    Path("a.run").write_text(RUN, encoding="latin-1")
    Path("b.run").write_text(RUN, encoding="latin-1")
    return tmp_path


def test_ask_reads_topics_qrels_and_the_run_in_one_encoding_and_names_the_queries_not_asked(cli, latin):
    done = cli(
        *["ask", "q.topics", "--qrels", "a.qrels", "--target", "replay:a.run", "--out", "out", "--encoding", "latin-1"]
    )
    assert done.code == 0, done.err
    note = "q.topics: no question for 3 of 5 judged queries, so they are not asked and in no mean: t3, t4, t5"
    assert note in done.err
    assert '"calle-peña-1"' in Path("out/answers.jsonl").read_text(encoding="utf-8")
    assert '"calle-peña-1":1.0' in Path("out/items.jsonl").read_text(encoding="utf-8")


def test_nothing_is_named_if_every_judged_query_is_asked(cli, latin):
    Path("q.topics").write_text("".join(f"t{n}\tcasa {n}\n" for n in range(1, 6)))
    done = cli(
        *["ask", "q.topics", "--qrels", "a.qrels", "--target", "replay:a.run", "--out", "out", "--encoding", "latin-1"]
    )
    assert done.code == 0
    assert "no question for" not in done.err


def test_a_replayed_table_in_utf_8_stays_in_utf_8(cli, latin):
    Path("answers.csv").write_text("id,answer\nt1,peña\nt2,casa\n", encoding="utf-8")
    done = cli(
        *[
            "ask",
            "q.topics",
            "--qrels",
            "a.qrels",
            "--target",
            "replay:answers.csv",
            "--out",
            "out",
            "--encoding",
            "latin-1",
        ]
    )
    assert done.code == 0, done.err
    assert '"peña"' in Path("out/answers.jsonl").read_text(encoding="utf-8")


def test_agree_takes_an_encoding(cli, latin):
    done = cli(*["agree", "a.qrels", "b.qrels", "--encoding", "latin-1"])
    assert done.code == 0, done.err
    assert "80 %" in done.out
    assert "calle-peña-5" in done.out
    Path("table.csv").write_text("id,rater1,rater2\npeña,1,0\nb,1,1\nc,0,0\n", encoding="latin-1")
    assert cli(*["agree", "table.csv", "--encoding", "latin-1"]).code == 0


def test_a_baseline_that_is_no_run_is_an_error_whatever_is_printed(cli, latin):
    for command in ("a.run --against foo", "a.run b.run --against foo", "a.run b.run --json --against foo"):
        refused = cli("trec", "a.qrels", *command.split(), "--encoding", "latin-1")
        assert refused.code == 2
        assert "the baseline 'foo' is none of the runs" in refused.err
    refused = cli(*["trec", "a.qrels", "a.run", "--against", "a", "--encoding", "latin-1"])
    assert refused.code == 2
    assert "--against a is the only run; name a run to compare with it" in refused.err
    assert cli(*["trec", "a.qrels", "a.run", "--against", "b.run", "--encoding", "latin-1"]).code == 0


def test_the_same_run_twice_is_an_error_unless_names_tell_both_apart(cli, latin):
    refused = cli(*["trec", "a.qrels", "a.run", "./a.run", "--encoding", "latin-1"])
    assert refused.code == 2
    assert "a.run: the same run stands twice; name it once" in refused.err
    assert cli(*["trec", "a.qrels", "a.run", "copy=a.run", "--encoding", "latin-1"]).code == 0


def test_grades_that_are_no_whole_numbers_name_the_rules_that_give_them(cli, latin):
    several = "pool a.run --qrels a.qrels --qrels b.qrels --encoding latin-1 --to-qrels joint.qrels --combine"
    refused = cli(*several.split(), "mean")
    assert refused.code == 2
    assert (
        "the grade 0.5 is not a whole number; choose a rule that gives whole numbers (--combine median, " in refused.err
    )
    for rule in ("median", "majority", "newest"):
        assert cli(*several.split(), rule).code == 0

"""Every command that scores takes TREC runs, tables of texts and tables of values as it takes run folders."""

import json
from pathlib import Path

import pytest

TREC = Path(__file__).parents[2] / "docs" / "trec"


@pytest.fixture
def sources(tmp_path):
    """What follows the name of a command, by what there is to score: two systems, of which the second is better."""
    queries = sorted({line.split()[0] for line in (TREC / "qrels.txt").read_text().splitlines() if line[0] != "#"})
    kinds = [f"{query},question {query},{'easy' if place % 2 else 'hard'}" for place, query in enumerate(queries)]
    (tmp_path / "topics.csv").write_text("\n".join(["id,query,tag:kind", *kinds]))
    texts = [f"dos plantas {n},dos {n},dos plantas {n % 9},{'ab'[n % 2]}" for n in range(20)]
    (tmp_path / "texts.csv").write_text("\n".join(["reference,old,new,kind", *texts]))
    values = [f"{n},{n % 7},{n % 7 + 1 + n % 3},{'ab'[n % 2]}" for n in range(20)]
    (tmp_path / "values.csv").write_text("\n".join(["query,old,new,kind", *values]))
    trec = ["--qrels", str(TREC / "qrels.txt"), "--topics", str(tmp_path / "topics.csv")]
    return {
        "trec": ([str(TREC / "vector.run"), str(TREC / "hybrid.run")], trec, "nDCG@10"),
        "texts": (
            [str(tmp_path / "texts.csv")],
            ["--reference", "reference", "--response", "old", "--response", "new"],
            "TokenRecall",
        ),
        "values": ([str(tmp_path / "values.csv")], [], "Value"),
    }


KINDS = ["trec", "texts", "values"]


def rows(told):
    assert told.code == 0, told.err
    return [json.loads(line) for line in told.out.splitlines()]


@pytest.mark.parametrize("kind", KINDS)
def test_score_by_groups_as_json(cli, sources, kind):
    paths, options, metric = sources[kind]
    found = rows(cli("score", *paths, *options, "-m", metric, "-g", "kind", "--json"))
    groups = {"trec": ["", "kind=hard", "kind=easy"]}.get(kind, ["", "kind=a", "kind=b"])
    assert list(dict.fromkeys(row["group"] for row in found)) == groups
    whole, *parts = [[row for row in found if row["group"] == group] for group in groups]
    for place, row in enumerate(whole):
        both = [part[place] for part in parts]
        assert row["n"] == sum(part["n"] for part in both)
        assert row["value"] == pytest.approx(sum(part["value"] * part["n"] for part in both) / row["n"])


@pytest.mark.parametrize("kind", KINDS)
def test_compare_says_who_is_better(cli, sources, kind):
    paths, options, metric = sources[kind]
    (found,) = rows(cli("compare", *paths, *options, "-m", metric, "--json"))
    assert found["better"] == found["b"] == {"trec": "hybrid"}.get(kind, "new")
    assert f"{found['b']} is better than {found['a']} in {metric}" in cli("compare", *paths, *options, "-m", metric).out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", ["html", "md"])
def test_a_report(cli, sources, kind, ending, tmp_path):
    paths, options, metric = sources[kind]
    told = cli("report", *paths, *options, "-m", metric, "-g", "kind", "--to", str(tmp_path / f"r.{ending}"))
    assert told.code == 0, told.err
    text = (tmp_path / f"r.{ending}").read_text()
    assert f"is better than {'vector' if kind == 'trec' else 'old'} in {metric}" in text
    assert f"{metric} by kind" in text
    for nothing in (
        "not finished",
        "unnamed",
        "No answer yet",
        "no answer yet",
        "(empty question)",
        "pooled over the runs",
    ):
        assert nothing not in text, nothing
    assert ("question q01" in text) == (kind == "trec")


@pytest.mark.parametrize("kind", KINDS)
def test_a_gate(cli, sources, kind):
    paths, options, metric = sources[kind]
    if kind == "trec":
        words = [paths[1], "--against", paths[0], *options[:2]]
    else:
        words = [*paths, *options[:2], "--response", "new", "--against", "old"]
    (found,) = rows(cli("gate", *words, "-r", f"{metric} > baseline", "--json"))
    assert found["outcome"] == "pass"
    assert cli("gate", *words, "-r", f"{metric} > +0.9" if kind != "values" else "Value > +5").code == 1


@pytest.mark.parametrize("kind", KINDS)
def test_reliability(cli, sources, kind):
    paths, options, metric = sources[kind]
    found = rows(cli("reliability", *paths, *options, "-m", metric, "--splits", "20", "--json"))
    assert {row.get("metric") for row in found} == {metric}


@pytest.mark.parametrize("kind", KINDS)
def test_power(cli, sources, kind):
    paths, options, metric = sources[kind]
    known = [word for word in options if "topics" not in word]
    told = cli("power", *paths, *known, "-m", metric, "--difference", "0.3")
    assert told.code == 0, told.err
    assert "questions are needed" in told.out


def test_power_is_about_two_systems(cli, sources, tmp_path):
    (tmp_path / "one.csv").write_text("id,a\n1,2\n2,3\n")
    told = cli("power", str(tmp_path / "one.csv"), "--difference", "1")
    assert (told.code, "power is about the difference of two runs; there is 1" in told.err) == (2, True)


def test_a_gate_on_a_table_needs_both_columns(cli, sources):
    told = cli("gate", *sources["values"][0], "--against", "old", "-r", "Value > baseline")
    assert (told.code, "name the column of the system to check" in told.err) == (2, True)


def test_a_trec_run_without_qrels_is_told_what_to_do(cli):
    told = cli("score", str(TREC / "api.run"))
    assert told.code == 2
    assert "--qrels FILE" in told.err

import dataclasses
import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_run
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

import neraca
from neraca.categorical import Categorical
from neraca.errors import InputError, SpecError
from neraca.metaeval.correlate import beside_people, correlate
from neraca.metaeval.correlations import Correlations
from neraca.metrics.metric import METRICS, metric
from neraca.records import Verdict
from neraca.scores.score import score
from neraca.scores.trec import trec
from neraca.stats.agreement.correlation import METHODS

NAN = math.nan


@pytest.fixture(autouse=True, scope="module")
def own_metrics():
    """The first, second and third number of an answer; of the third less is better, the fourth is only counted."""

    def number(place):
        def read(response: str) -> float | None:
            return float(response.split()[place]) if response else None

        return read

    ways = {"CorrA": "higher", "CorrB": "higher", "CorrErrors": "lower", "CorrCount": "neither"}
    for place, (name, better) in enumerate(ways.items()):
        metric(name, better=better, low=-math.inf, high=math.inf)(number(place))
    yield
    for name in ways:
        del METRICS._objects[name], METRICS._sources[name]


ALL = "CorrA CorrB CorrErrors CorrCount"


def people(item, value, by="human:Ana", aspect="quality", trial=0, **fields):
    return Verdict(item=item, about="answer", aspect=aspect, by=by, value=value, trial=trial, **fields)


def run(folder, name, rows, verdicts=(), sessions=None, trials=1):
    """A run in which the n-th answer says the n-th row of numbers."""
    items = [make_item(str(n), session=sessions[n] if sessions else None) for n in range(len(rows) // trials)]
    answers = [
        make_answer(item=str(n // trials), trial=n % trials, text=" ".join(map(str, row))) for n, row in enumerate(rows)
    ]
    return make_run(folder / name, items, answers, verdicts, trials=trials)


def table(seed, n):
    """Four numbers for each answer: quality with noise, nearly the same, errors, and a length."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    return np.column_stack([a, a + 0.05 * rng.normal(size=n), -a + rng.normal(size=n), rng.integers(1, 9, n)]).round(3)


# numbers


def test_the_face():
    assert isinstance(neraca.correlate({"a": [1, 2]}), neraca.Correlations)


@pytest.mark.parametrize("method", METHODS)
def test_matrix_is_that_of_scipy(method):
    functions = {"pearson": reference.pearsonr, "spearman": reference.spearmanr, "kendall": reference.kendalltau}
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 9, 50).astype(float) for name in "abcd"}
    columns["c"][[3, 4]] = NAN
    columns["d"][[7, 8]] = NAN  # as many as in c, but others
    found = correlate(columns, method=method)
    assert (found.names, found.method) == (("a", "b", "c", "d"), method)
    for one in "abcd":
        for other in "abcd":
            both = ~(np.isnan(columns[one]) | np.isnan(columns[other]))
            theirs = functions[method](columns[one][both], columns[other][both]).statistic
            assert found.value(one, other) == pytest.approx(theirs, abs=1e-9)
            assert found.n["abcd".index(one), "abcd".index(other)] == both.sum()
    with pytest.raises(SpecError, match=r"no correlation of 'e'"):
        found.value("e", "a")


def test_what_differs_by_rounding_alone_is_a_tie():
    exact, rounded = [0.3, 0.3, 0.6, 0.9], [0.1 + 0.2, 0.3, 0.6, 0.9]
    assert correlate({"a": exact, "b": rounded}).value("a", "b") == 1


def test_all_answers_of_all_runs_are_pooled(tmp_path):
    first, second = table(1, 20), table(2, 20) + 3
    scores = score([run(tmp_path, "a", first), run(tmp_path, "b", second)], ALL)
    found = correlate(scores)
    both = np.vstack([first, second])
    assert found.value("CorrA", "CorrB") == pytest.approx(reference.spearmanr(both[:, 0], both[:, 1]).statistic)
    assert found.n[0, 1] == 40
    alone = correlate(score([run(tmp_path, "c", first)], ALL))
    assert alone.value("CorrA", "CorrB") == pytest.approx(reference.spearmanr(first[:, 0], first[:, 1]).statistic)


def test_errors_are_turned_around(tmp_path):
    rows = table(3, 30)
    found = correlate(score([run(tmp_path, "a", rows)], ALL))
    straight = reference.spearmanr(rows[:, 0], rows[:, 2]).statistic
    assert straight < -0.3
    assert found.value("CorrA", "CorrErrors") == pytest.approx(-straight)
    assert found.turned == ("CorrErrors",)
    assert correlate({"TER": [1, 2, 3], "mine": [3, 2, 1]}).value("TER", "mine") == 1


def test_trials_are_answers(tmp_path):
    rows = table(4, 24)
    found = correlate(score([run(tmp_path, "a", rows, trials=3)], ALL))
    assert found.n[0, 1] == 24
    assert found.value("CorrA", "CorrErrors") == pytest.approx(-reference.spearmanr(rows[:, 0], rows[:, 2]).statistic)


def test_of_trec_runs():
    qrels = {str(n): {"a": 1, "b": 1, "c": 1} for n in range(8)}
    runs = {str(n): ["a", "x", "b", "y", "c"][n % 5 :] + ["b"] * (n > 5) for n in range(8)}
    scores = trec(
        qrels, {"one": {query: {d: 9 - r for r, d in enumerate(docs)} for query, docs in runs.items()}}, "RR AP P@5"
    )
    found = correlate(scores)
    sheet = scores.runs[0]
    assert found.value("RR", "AP") == pytest.approx(
        reference.spearmanr(sheet.values("RR"), sheet.values("AP")).statistic
    )


# people


def test_people_are_found_and_the_mean_of_them_counts(tmp_path):
    rows = table(5, 12)
    rows[:, 0] = np.arange(12)
    said = [people(str(n), float(n)) for n in range(12)]
    said += [people("3", 20.0, "human:Budi"), people("4", None, "human:Citra"), people("5", 99.0), people("5", 5.0)]
    said += [
        people("1", -50.0, "llm:judge"),
        Verdict(item="1", about="hit:x", aspect="quality", by="human:Ana", value=0),
    ]
    found = correlate(score([run(tmp_path, "a", rows, said)], ALL), method="pearson")
    told = np.arange(12.0)
    told[3] = (3 + 20) / 2
    (best,) = [row for row in found.with_human if row.metric == "CorrA"]
    assert (best.human, best.n) == ("quality", 12)
    assert best.value == pytest.approx(reference.pearsonr(np.arange(12), told).statistic)
    assert found.humans == ("quality",)
    assert len(found.with_human) == 4


def test_people_who_judged_another_answer_are_not_heard(tmp_path):
    rows = table(6, 8)
    said = [people(str(n), float(n), of="" if n < 5 else "another") for n in range(8)]
    found = correlate(score([run(tmp_path, "a", rows, said)], ALL))
    assert {row.n for row in found.with_human} == {5}


def test_one_kind_for_each_aspect_and_runs_without_any(tmp_path):
    rows = table(7, 8)
    said = [people(str(n), float(n), aspect=aspect) for n in range(8) for aspect in ("quality", "tone")]
    made = [run(tmp_path, "a", rows, said), run(tmp_path, "b", table(8, 8))]
    found = correlate(score(made, ALL), human={"mine": np.arange(16)})
    assert found.humans == ("quality", "tone", "mine")
    assert {(row.human, row.n) for row in found.with_human} == {("quality", 8), ("tone", 8), ("mine", 16)}


def test_rows_are_sorted_and_lower_is_turned(tmp_path):
    rows = table(9, 60)
    said = [people(str(n), float(row[0])) for n, row in enumerate(rows)]
    found = correlate(score([run(tmp_path, "a", rows, said)], ALL))
    assert [row.metric for row in found.with_human][:3] == ["CorrA", "CorrB", "CorrErrors"]
    assert all(row.value > 0.3 for row in found.with_human[:3])
    values = [row.value for row in found.with_human]
    assert values == sorted(values, reverse=True)


def test_sessions_and_runs_to_one_question_are_one_source_of_chance(tmp_path):
    rows = table(10, 40)
    quality = rows[:, 0] + np.random.default_rng(0).normal(size=40)
    said = [people(str(n), float(q)) for n, q in enumerate(quality)]
    sessions = [f"s{n // 4}" for n in range(40)]

    def width(made):
        (row,) = [row for row in correlate(made).with_human if row.metric == "CorrA"]
        return row.high - row.low

    once = width(score([run(tmp_path, "a", rows, said)], ALL))
    twice = width(score([run(tmp_path, "b", rows, said), run(tmp_path, "c", rows, said)], ALL))
    assert twice == pytest.approx(once, rel=0.3)
    assert width(score([run(tmp_path, "d", rows, said, sessions)], ALL)) != pytest.approx(once, rel=0.01)
    doubled = {"a": np.tile(rows[:, 0], 2)}
    naive = correlate(doubled, human={"q": np.tile(quality, 2)}).with_human[0]
    told = correlate(doubled, human={"q": np.tile(quality, 2)}, clusters=np.tile(np.arange(40), 2)).with_human[0]
    assert naive.high - naive.low < 0.8 * (told.high - told.low)


# words


def test_the_best_one_is_seldom_said_to_beat_its_equals():
    """Six metrics that are equally near to people: the one that happens to agree most is no better than the others."""
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        quality = rng.normal(size=40)
        made = {str(n): quality + rng.normal(size=40) for n in range(6)}
        wrong += any(row.told_apart for row in correlate(made, human={"q": quality}).with_human)
    assert wrong <= 0.05 * 200 + 4 * math.sqrt(200 * 0.05 * 0.95)


VALUES = st.lists(st.one_of(st.none(), st.integers(0, 3), st.just(math.inf)), min_size=9, max_size=9)


@settings(max_examples=60)
@given(st.lists(VALUES, max_size=4), VALUES, st.sampled_from(sorted(METHODS)), st.booleans())
def test_whatever_comes_it_is_said_without_a_warning(made, human, method, grouped):
    groups = [n // 2 for n in range(9)] if grouped and made else None
    found = correlate({f"m{n}": c for n, c in enumerate(made)}, human={"p": human}, method=method, clusters=groups)
    assert isinstance(found, Correlations)
    assert "nan" not in str(found).split()
    for row in found.with_human:
        assert math.isnan(row.value) or -1 <= row.value <= 1
        assert math.isnan(row.low) or row.low <= row.value <= row.high
    assert sorted(name for group in found.clusters for name in group) == sorted(found.names)


def test_a_metric_made_from_peoples_verdicts_is_not_set_beside_them(tmp_path):
    """Rubric(quality) and an average with it are people's quality itself; their tone is another matter."""
    rows = table(3, 30)
    said = [people(str(n), float(n % 5 > 1)) for n in range(30)]
    said += [people(str(n), float(n % 3 > 0), aspect="tone") for n in range(30)]
    scores = score([run(tmp_path, "a", rows, said)], "CorrA Rubric(quality) Average(Aspect(quality),Aspect(tone))")
    found = correlate(scores)
    beside = {human: {row.metric for row in found.with_human if row.human == human} for human in found.humans}
    average = next(name for name in found.names if name.startswith("Average"))
    assert beside == {"quality": {"CorrA"}, "tone": {"CorrA", "Rubric(quality)"}}
    assert found.left_out == {"quality": ("Rubric(quality)", average), "tone": (average,)}
    assert "Rubric(quality)" in str(found)
    alone = correlate(score([run(tmp_path, "b", rows, said[:30])], "Rubric(quality)"))
    assert (alone.humans, alone.with_human) == ((), ())
    given = correlate(scores, human={"quality": np.arange(30)})
    assert "Rubric(quality)" in {row.metric for row in given.with_human if row.human == "quality"}, "other scores"


# mistakes


@pytest.mark.parametrize(
    "options, error, told",
    [
        ({"method": "spearmen"}, SpecError, "did you mean spearman"),
        ({"at": 0}, SpecError, "such as 0.9, not 0"),
        ({"at": 1.5}, SpecError, "not 1.5"),
        ({"level": 1}, SpecError, "such as 0.95, not 1"),
        ({"human": {"h": [1, 2]}}, InputError, "a 3, h 2"),
        ({"human": {"h": ["x", "y", "z"]}}, InputError, "people's score 'h': its values must be numbers"),
        ({"human": {"h": [[1], [2], [3]]}}, InputError, "not shape"),
        ({"clusters": [1, 2]}, InputError, "clusters 2"),
    ],
)
def test_mistakes(options, error, told):
    with pytest.raises(error, match=told):
        correlate({"a": [1, 2, 3]}, **options)


def test_it_prints_as_a_table():
    found = correlate({"A": [1, 2, 3, 4], "B": [1, 2, 4, 3], "Flat": [1, 1, 1, 1]}, human={"people": [4, 3, 2, 1]})
    assert str(found).splitlines() == [
        "metric     1  2  people",
        "───────────────────────",
        "1 A               −1.00",
        "2 B     0.80      −0.80",
        "3 Flat     –  –       –",
    ]


def test_beside_people_within_groups():
    """As scipy's rho of the rows of each group, over both systems."""
    rng = np.random.default_rng(3)
    people, texts = rng.integers(0, 9, (2, 30)), rng.integers(1, 9, (2, 30))
    references = ["a b c d e f g h i j"] * 30
    systems = {
        name: [" ".join("abcdefghij"[:length]) for length in row]
        for name, row in zip("AB", texts.tolist(), strict=True)
    }
    scored = neraca.text(references, systems, "TokenRecall", language="en")
    kinds = Categorical.of(["x", "y"] * 15)
    runs = tuple(dataclasses.replace(run, tags={"kind": kinds}) for run in scored.runs)
    scored = dataclasses.replace(scored, runs=runs, facts={**scored.facts, "human": {"people": people.ravel() * 1.0}})
    found = beside_people(scored, "kind")
    for place, group in enumerate("xy"):
        here = np.arange(30) % 2 == place
        recall = np.concatenate([run.values("TokenRecall")[here] for run in runs])
        (row,) = found[group]
        assert row.value == pytest.approx(reference.spearmanr(recall, people[:, here].ravel()).statistic)
        assert (row.metric, row.human, row.n) == ("TokenRecall", "people", 30)
    assert [rows[0].n for rows in beside_people(scored).values()] == [60]

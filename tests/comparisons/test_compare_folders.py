"""Folders of scores compared: the numbers of `compare` over all rows, without all rows."""

import math
import random

import polars as pl
import pytest

import neraca
from neraca.comparisons.compare_folders import compare_folders
from neraca.errors import InputError
from neraca.scores.score_parquet import ScaleOptions, score_parquet

WORDS = ("the", "red", "car", "has", "two", "floors", "and", "a", "garden", "near", "sea")
FIELDS = ("difference", "low", "high", "p", "p_adjusted", "effect", "effect_low", "effect_high", "needed")


def table(n, seed=0):
    """References, and two systems of which `new` repeats more of them."""
    chance = random.Random(seed)

    def text():
        return " ".join(chance.choices(WORDS, k=chance.randrange(3, 12)))

    rows = [(text(), text()) for _ in range(n)]
    new = [reference if chance.random() < 0.2 else text() for _, reference in rows]
    return pl.DataFrame({"id": [f"q{k}" for k in range(n)], "reference": [r for _, r in rows]}).with_columns(
        old=pl.Series([a for a, _ in rows]), new=pl.Series(new)
    )


def scored(folder, frame, system, metrics, group=50, **how):
    path = folder / f"{system}.parquet"
    names = [name for name in ("id", "reference", "session") if name in frame.columns]
    frame.select(*names, response=pl.col(system)).write_parquet(path, row_group_size=group)
    return score_parquet(path, metrics, folder / system, ScaleOptions(workers=1, **how))


@pytest.fixture
def few_units(monkeypatch):
    """A row group is a unit, so that the files of two systems are cut at different rows."""
    import neraca.scores.score_parquet as module

    units_of = module.units_of
    monkeypatch.setattr(module, "units_of", lambda sources: units_of(sources, 1))


@pytest.mark.usefixtures("few_units")
def test_it_is_the_test_over_all_rows(tmp_path):
    frame, metrics = table(400), "TokenF1 ExactMatch CorpusBLEU Words"
    folders = [scored(tmp_path, frame, "new", metrics, 150), scored(tmp_path, frame, "old", metrics, 70)]
    ours = compare_folders(folders)
    whole = neraca.compare(neraca.text(frame["reference"], {"new": frame["new"], "old": frame["old"]}, metrics))
    assert [(d.metric, d.a, d.b, d.better, d.n, d.wins, d.ties, d.losses) for d in ours] == [
        (d.metric, d.a, d.b, d.better, d.n, d.wins, d.ties, d.losses) for d in whole
    ]
    for one, other in zip(ours, whole, strict=True):
        for name in FIELDS:
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9, nan_ok=True), (one.metric, name)
    assert ours[0].better == "new"


def test_sessions_are_one_source_of_chance(tmp_path):
    # every session has ten equal questions: ten times the rows, and no more is known
    frame = pl.concat([table(60).with_columns(session=pl.col("id"))] * 10).with_columns(
        id=pl.format("{}-{}", "id", pl.int_range(pl.len()))
    )
    folders = [scored(tmp_path, frame, system, "TokenF1") for system in ("new", "old")]
    (found,) = compare_folders(folders)
    few = table(60)
    (plain,) = neraca.compare(neraca.text(few["reference"], {"new": few["new"], "old": few["old"]}, "TokenF1"))
    assert (found.n, plain.n) == (600, 60)
    # sessions that share one of 509 groups by chance make the interval a little less sure, and never surer by much
    assert found.difference == pytest.approx(plain.difference, rel=1e-9)
    assert found.high - found.low == pytest.approx(plain.high - plain.low, rel=0.1)


@pytest.mark.parametrize("n", [2, 4, 7])
def test_few_rows_have_the_interval_and_the_reasons_of_compare(tmp_path, n):
    frame = table(n, seed=4)
    folders = [scored(tmp_path, frame, system, "TokenF1 ExactMatch") for system in ("new", "old")]
    texts = neraca.text(frame["reference"], {"new": frame["new"], "old": frame["old"]}, folders[0].metrics)
    for ours, whole in zip(compare_folders(folders).rows(), neraca.compare(texts).rows(), strict=True):
        for name, value in whole.items():
            expected = pytest.approx(value, rel=1e-9, nan_ok=True) if isinstance(value, float) else value
            assert ours[name] == expected, name


def test_few_sessions_are_one_observation(tmp_path):
    frame = table(40).with_columns(session=pl.Series([f"s{k % 4}" for k in range(40)]))
    (difference,) = compare_folders([scored(tmp_path, frame, system, "TokenF1") for system in ("new", "old")])
    assert (difference.n, difference.sessions, difference.untested) == (40, 1, "few observations")


def test_a_folder_of_several_systems_is_compared_in_itself(tmp_path):
    table(80).write_parquet(tmp_path / "both.parquet")
    options = ScaleOptions(response=["old", "new"], workers=1)
    folder = score_parquet(tmp_path / "both.parquet", "TokenF1", tmp_path / "both", options)
    (found,) = compare_folders([folder], against="old")
    assert (found.a, found.b, found.better) == ("new", "old", "new")


def test_equal_systems_are_equal(tmp_path):
    frame = table(30).with_columns(new=pl.col("old"))
    (found,) = compare_folders([scored(tmp_path, frame, system, "TokenF1") for system in ("new", "old")])
    assert (found.difference, found.p, found.better, found.identical) == (0, 1, "", True)


def test_rows_that_one_system_lacks_are_in_no_pair(tmp_path):
    frame = table(5).with_columns(reference=pl.Series([None, "a", "b", "c", "d"]))
    (found,) = compare_folders([scored(tmp_path, frame, system, "TokenF1") for system in ("new", "old")])
    assert found.n == 4
    assert math.isfinite(found.difference)


def test_other_rows_are_refused(tmp_path):
    frame = table(60)
    first = scored(tmp_path, frame, "new", "TokenF1 WER")
    with pytest.raises(InputError, match="needs at least two systems"):
        compare_folders([first])
    shuffled = scored(tmp_path, frame.reverse(), "old", "TokenF1")
    with pytest.raises(InputError, match=r"row 1 is 'q0' in .*new and 'q59' in .*old; sort both files by id"):
        compare_folders([first, shuffled])
    (tmp_path / "less").mkdir()
    fewer = scored(tmp_path / "less", frame[:50], "old", "TokenF1")
    with pytest.raises(InputError, match=r"has 60 rows and .* 50"):
        compare_folders([first, fewer])
    with pytest.raises(InputError, match="'best' is none of the systems; these are new, old"):
        compare_folders([first, shuffled], against="best")
    (tmp_path / "new/values/000000000000.parquet").unlink()
    from neraca.scores.engine.scored import ScoredFolder

    with pytest.raises(InputError, match="0 of 60 rows are scored; start the same `neraca score` again"):
        compare_folders([ScoredFolder.of(str(tmp_path / "new")), shuffled])

"""What `neraca clicks` says: each sentence where it is due, and not elsewhere."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from neraca.online.click_models.click_log import ClickLogOptions, click_log
from neraca.online.click_models.fits import fit_models
from neraca.reports.online.click_models import (
    UserFindings,
    clicks_document,
    habits,
    next_steps,
    notes,
    sentences,
    tables,
)
from neraca.reports.online.click_rows import rows
from neraca.translation import written_in


def make_log(searches):
    """Searches (query, shown, clicked), each of a session of its own."""
    names = [f"s{n}" for n in range(len(searches))]
    query, shown, clicked = zip(*searches, strict=True)
    columns = {"user": names, "session": names, "query": query, "shown": [one.split() for one in shown]}
    frame = pl.DataFrame({**columns, "clicked": clicked}, schema_overrides={"clicked": pl.List(pl.Int64)})
    frame = frame.with_columns(shown=pl.col("shown").list.eval(pl.element().replace("-", "")))
    return click_log([frame], ClickLogOptions(held_out=0))


@pytest.fixture
def findings():
    """Rank 3 is never compared with others; one search showed nothing, one does not say its first result."""
    swapped = [("q", "a b c", [1, 3]), ("q", "b a c", [2]), ("q", "a b c", [2])] * 6
    log = make_log([*swapped, ("rare", "x y", [1]), ("rare", "- y", [2]), ("q", "", [])])
    fits, refused = fit_models(log, ["PBM"])
    return UserFindings(log, fits, refused, None)


def test_what_a_reader_must_know_is_said(findings):
    said = " ".join(notes(findings))
    assert "Nothing can be said of rank 3: no clicked document stood there and at another rank" in said
    assert "1 of 2 queries came fewer than 10 times (5 % of the searches)" in said
    assert "Left out: 1 search that showed nothing" in said
    assert "Left out: 1 search of which the first result is not known; log every document" in said
    assert "everybody is taken to look at rank 1" in said
    assert "There are no intervals: the log has too few queries." in said
    assert "did not converge" not in said


def test_a_fit_that_did_not_converge_says_so(findings):
    findings.fits[0].model.converged = False
    assert "The fit of PBM did not converge: take its numbers for rough ones." in list(notes(findings))


def test_one_model_is_explained_and_several_are_compared(findings):
    assert "The model is PBM (position-based model): whether users look at a rank depends on the rank alone." in (
        sentences(findings)
    )
    twin = replace(findings.fits[0], name="DCM")
    both = replace(findings, fits=(findings.fits[0], twin))
    assert any("PBM predicts best" in one and "DCM predicts about as well." in one for one in sentences(both))
    assert "the searches that they were fitted on" in tables(findings)[1].title


@pytest.mark.parametrize(
    "share, said", [(0.02, "fewer than 1 at rank 2"), (0.97, "nearly 10 at rank 2"), (0.44, "4 at")]
)
def test_tenths_of_users(findings, share, said):
    looks = replace(findings.fits[0].views, value=np.array([1.0, share, np.nan]))
    one = replace(findings, fits=(replace(findings.fits[0], views=looks),))
    assert said in habits(one)


def test_the_report_has_the_same_numbers(findings):
    made = clicks_document(findings)
    lead, _, cautions, *_ = made.blocks
    assert lead.sentences == (habits(findings),)
    assert cautions.sentences == list(notes(findings))
    assert made.tables[0].rows == tables(findings)[0].rows
    assert [row["rank"] for row in rows(findings) if row["row"] == "clicks"] == [1, 2, 3]


def test_the_next_step_names_the_file_that_was_written(findings):
    assert '"CWL(users.json)"' in next_steps(findings, ["report.html", "users.json"])[0]
    assert "--to users.json" in next_steps(findings, [])[0]


@pytest.mark.parametrize(
    "language, title, lead, caution",
    [
        ("es", "Cómo miran y hacen clic los usuarios", "De 10 usuarios, 10 miran la posición 1", "No hay intervalos"),
        (
            "id",
            "Bagaimana pengguna melihat dan mengklik",
            "Dari 10 pengguna, 10 melihat peringkat 1",
            "Tidak ada interval",
        ),
    ],
)
def test_the_report_is_written_in_its_language(findings, language, title, lead, caution):
    made = clicks_document(findings, language)
    assert (made.title, made.language) == (title, language)
    assert made.blocks[0].sentences[0].startswith(lead)
    assert any(one.startswith(caution) for one in made.blocks[2].sentences)
    assert {table.columns[0] for table in made.tables[:1]} == {"posición" if language == "es" else "peringkat"}
    assert "," in made.tables[0].rows[0][2], "a decimal comma"
    with written_in(language):
        assert made.tables[0].rows == tables(findings)[0].rows

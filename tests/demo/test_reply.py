"""The words of an answer, from the template."""

from __future__ import annotations

import pytest

from neraca.demo.reply import by_template, describe
from neraca.demo.search import Found
from neraca.demo.understand import understand


@pytest.mark.parametrize(
    "question, said",
    [
        ("rumah dijual di Johor 1M an", "rumah dijual di Johor harga Rp 1 M-Rp 2 M"),
        ("apartemen dekat USU di bawah 800 juta", "apartemen dekat USU harga maksimal Rp 800 jt"),
        ("rumah atau ruko 3 lantai di atas 1,25 M", "rumah atau ruko harga minimal Rp 1,25 M lantai 3"),
        ("rumah maksimal 3 kamar", "rumah maksimal 3 kamar tidur"),
        ("rumah minimal 2 kamar maksimal 4 kamar", "rumah 2-4 kamar tidur"),
        ("unit J City 3 kamar", "properti di J City minimal 3 kamar tidur"),
        ("rumah 2 kamar mandi dekat mall ada cctv", "rumah dekat mall minimal 2 kamar mandi dengan CCTV"),
    ],
)
def test_what_was_understood_is_said(question, said):
    assert describe(understand(question)) == said


def test_the_template_counts_and_lists(search):
    criteria = understand("apartemen disewakan di Podomoro")
    found = search.find("api", criteria, "")
    told = by_template(criteria, found, exact=True, more=False)
    assert told.startswith(f"Ada {found.total} apartemen disewa di Podomoro. Berikut 10 teratas:")
    assert [line[:2] for line in told.splitlines()[1:4]] == ["1.", "2.", "3."]
    assert "per tahun" in told
    assert told.endswith("… dan 7 lainnya di daftar.")


def test_the_template_says_plainly_that_nothing_was_found():
    assert by_template(understand("gudang di KIM"), Found((), 0), exact=True, more=False).startswith(
        "Maaf, tidak ada pilihan untuk gudang di KIM."
    )

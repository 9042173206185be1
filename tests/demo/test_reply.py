"""The words of an answer, from the template."""

from __future__ import annotations

import pytest

from neraca.demo.reply import by_template, describe
from neraca.demo.understand import understand


@pytest.mark.parametrize(
    "question, description",
    [
        ("rumah dijual di Johor 1M an", "rumah dijual di Johor harga Rp 1 M-Rp 2 M"),
        ("apartemen dekat USU di bawah 800 juta", "apartemen dekat USU harga maksimal Rp 800 jt"),
        ("rumah atau ruko 3 lantai di atas 1,25 M", "rumah atau ruko harga minimal Rp 1,25 M lantai 3"),
        ("rumah minimal 2 kamar maksimal 4 kamar", "rumah 2-4 kamar tidur"),
        ("unit J City luas tanah 200 m2", "properti di J City luas tanah (m2) minimal 200"),
        ("rumah 2 kamar mandi dekat mall ada cctv", "rumah dekat mall minimal 2 kamar mandi dengan CCTV"),
    ],
)
def test_the_reply_describes_what_was_understood(question, description):
    assert describe(understand(question).criteria) == description


def test_the_template_counts_and_lists(search):
    criteria = understand("apartemen disewakan di Podomoro").criteria
    found = search.find("api", criteria, "")
    lines = by_template(criteria, found, exact=True, more=False).splitlines()
    assert lines[0] == f"Ada {len(found)} apartemen disewa di Podomoro. Berikut 10 teratas:"
    assert [line[:2] for line in lines[1:4]] == ["1.", "2.", "3."]
    assert "per tahun" in lines[1]
    assert lines[4] == "… dan 7 lainnya di daftar."


def test_the_template_admits_that_nothing_was_found():
    reply = by_template(understand("gudang di KIM").criteria, [], exact=True, more=False)
    assert reply.startswith("Maaf, tidak ada pilihan untuk gudang di KIM.")

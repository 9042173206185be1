"""Fields of results on a rating page: amounts have the separators of the page's language, ids and years have none."""

import pytest
from builders import make_run
from chromium import FLAGS, chromium_in
from playwright.sync_api import sync_playwright

from neraca.people.rating_task import RatingTasks
from neraca.records import Answer, Hit, Item
from neraca.reports.formats.rating_html import RatingPage, rating_page

FIELDS = {
    "price": 1500000000,
    "harga_sewa": 4500,
    "luas": 12345.5,
    "bedrooms": 4,
    "year": 20240,
    "listingId": 1234567,
    "id": 1234567,
    "kode pos": 20111,
    "created_at": 1700000000,
    "stored": "1500000000",
}


@pytest.mark.parametrize(
    ("language", "amounts"),
    [
        ("en", {"price": "1,500,000,000", "harga_sewa": "4,500", "luas": "12,345.5"}),
        ("id", {"price": "1.500.000.000", "harga_sewa": "4.500", "luas": "12.345,5"}),
        ("es", {"price": "1.500.000.000", "harga_sewa": "4500", "luas": "12.345,5"}),
    ],
)
def test_amounts_are_written_as_in_the_language_of_the_page(language, amounts, tmp_path):
    answer = Answer(item="q", hits=(Hit(id="h", text="a house", fields=FIELDS),))
    tasks = RatingTasks.of([make_run(tmp_path / "run", [Item(id="q", query="houses?")], [answer])]).tasks
    page_file = tmp_path / "rating.html"
    page_file.write_text(rating_page(tasks, RatingPage(set="set", rater="ana", language=language)), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_in(tmp_path), args=FLAGS)
        page = browser.new_page()
        page.goto(page_file.as_uri())
        names, values = (page.locator(f".fields {tag}").all_inner_texts() for tag in ("dt", "dd"))
        browser.close()
    shown = dict(zip(names, values, strict=True))
    assert shown == {name: amounts.get(name, str(value)) for name, value in FIELDS.items()}

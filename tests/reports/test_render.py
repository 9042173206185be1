"""The templates: every format has the same sections, and their order is written once."""

import pytest

from neraca.reports.render import SECTIONS, TEMPLATES


@pytest.mark.parametrize(("folder", "suffix"), [("html", ".html"), ("markdown", ".md")])
def test_every_format_has_each_section(folder, suffix):
    names = {path.stem for path in (TEMPLATES / folder).iterdir() if path.suffix == suffix}
    assert names - {"gate"} == {"page", *SECTIONS}
    assert "for section in sections" in (TEMPLATES / folder / f"page{suffix}").read_text(encoding="utf-8")

"""Whole reports in other languages have no sentence that nobody translated."""

import pytest
from drawn import to_html, to_latex, to_markdown

from neraca import compare, report, score, translation
from neraca.translation import LANGUAGES, translations


class Recording(dict):
    """The table of translations, which keeps what it did not find."""

    def __init__(self, table):
        super().__init__(table)
        self.missing = set()

    def get(self, template, default=None):
        if template and template not in self:
            self.missing.add(template)
        return super().get(template, default)


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_whole_reports_say_nothing_that_has_no_translation(search_runs, weighed, monkeypatch, language):
    searched = score(search_runs(), "P@5, nDCG@10, Success, PassRatio, QueryF1")
    values = {"a": [0.5, 0.1, 0.2, 0.4], "b": [0.4, 0.9, 0.2, 0.3], "c": [0.5] * 4}
    margins = weighed(values, margin=0.1, bayes=True)
    table = Recording(translations())
    monkeypatch.setattr(translation, "translations", lambda: table)
    for scores, differences in ((searched, compare(searched, test="randomisation")), margins, (margins[0], ())):
        made = report(scores, differences, language=language)
        for write in (to_html, to_markdown, to_latex):
            write(made)
    reasons = {why for run in searched.runs for metric in searched.metrics for why in run.why(metric).values()}
    assert sorted(table.missing - reasons) == []

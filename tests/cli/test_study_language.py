"""A study in Indonesian or Spanish prints nothing in English: no error, no remark, no refused row of an import."""

import csv
import re
from pathlib import Path
from string import Formatter

import pytest

from neraca.runs.run import Run
from neraca.translation import translations

#: A part of a template without placeholders that is too long to be the same in two languages by chance.
LENGTH = 18


def english_in(text):
    """The templates of which a long part stands in a text, although the text is in another language."""
    flat = re.sub(r"\s+", " ", text)
    return [
        template
        for template, of in translations().items()
        for part, *_ in Formatter().parse(template)
        if len(part.strip()) > LENGTH and part.strip() in flat and not any(part.strip() in text for text in of.values())
    ]


@pytest.fixture(params=["id", "es"])
def study(cli, tmp_path, monkeypatch, request):
    """A thesis in another language, asked and judged; returns the language."""
    monkeypatch.chdir(tmp_path)
    assert cli("init", "--for", "thesis", "--language", request.param, "shop").code == 0
    assert cli("run", "shop/study.toml").code == 0
    return request.param


RUN = "shop/results/study/search/words"


def changed_file(old_name, new_name, *replaced):
    """Write a file of the study with some texts replaced, each once."""
    text = Path("shop", old_name).read_text("utf-8")
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new, 1)
    Path("shop", new_name).write_text(text, "utf-8")


def test_english_is_noticed():
    assert english_in("neraca: a.csv: no such file; check the name and the\n        folder (/tmp)") != []
    assert english_in("neraca: a.csv: file ini tidak ada; periksa nama dan foldernya (/tmp)") == []


def template_rows(cli):
    assert cli("rate", RUN, "--template", "t.csv").code == 0
    with Path("t.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def import_rows(cli, rows, name="ratings-ana.csv"):
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return cli("rate", "import", name)


def test_an_import_of_a_dirty_table_and_the_same_again(cli, study):
    rows = [row | {"response_quality": "4", "mood": "x", "rated_at": ""} for row in template_rows(cli)]
    rows[0] |= {"ratings": "1;1;1;1;1;1;1"}
    rows[1] |= {"response_quality": "9", "success": "ya"}
    rows[2] |= {"answer": "elsewhere"}
    rows[3] |= {"notes": "no data exists; should have results"}
    rows[4] |= {"rated_at": "yesterday"}
    told = import_rows(cli, rows)
    assert (told.code, english_in(told.out + told.err)) == (3, [])
    assert len(re.findall(r"(baris|línea) [2-6]\b", told.err)) == 5  # one message for each wrong line
    again = import_rows(cli, rows)
    new, confirmed = re.search(r"(\d+) (?:putusan baru|veredictos nuevos), (\d+) ", again.out).groups()
    assert (new, int(confirmed) > 5, english_in(again.out + again.err)) == ("0", True, [])
    rows[5] |= {"response_quality": "1"}
    changed = import_rows(cli, rows)
    assert {"id": "1 diubah", "es": "1 cambiados"}[study] in changed.out
    assert english_in(cli("agree", RUN).out) == []


def test_errors_name_file_column_and_metric(cli, study):
    Path("broken.json").write_text("{", "utf-8")
    for words in (
        ("rate", "import", "none.csv"),
        ("rate", "import", "shop/questions.csv"),
        ("rate", "import", "broken.json"),
        ("report", RUN, "--to", "r.html", "-m", "nDGC"),
        ("report", RUN, "--to", "r.strange"),
        ("agree", RUN, "--judges", "nobody"),
        ("rate", RUN, "--scale", "1-99", "--page", "p.html"),
    ):
        told = cli(*words)
        assert (told.code, english_in(told.err)) == (2, []), words
    for replaced in (
        ("# columns = { query", "columns = { quary"),
        ("timeout = 60", "timeuot = 60"),
        ('choose = "', 'choose = "Unknown'),
        ("\n[[phase]]\n", "\n[[phases]]\n"),
        ("questions.csv", "none.csv"),
    ):
        changed_file("study.toml", "broken.toml", replaced)
        told = cli("run", "shop/broken.toml")
        assert (told.code, english_in(told.err)) == (2, []), replaced


def test_remarks_on_a_data_set_come_before_the_first_question(cli, study):
    lines = Path("shop/questions.csv").read_text("utf-8").splitlines()
    added = [f"{lines[0]},colour,must_contian", *(f"{line},red,a" for line in lines[1:])]
    Path("shop/more.csv").write_text("\n".join(added), "utf-8")
    changed_file("study.toml", "more.toml", ("questions.csv", "more.csv"))
    told = cli("run", "shop/more.toml")
    assert ("colour" in told.err, "must_contain" in told.err, english_in(told.err)) == (True, True, [])


def test_a_run_records_the_same_reasons_in_every_language(cli, study):
    changed_file("study.toml", "english.toml", (f'[report]\nlanguage = "{study}"', '[report]\nlanguage = "en"'))
    assert cli("run", "shop/english.toml").code == 0
    reasons = [
        [(v.item, v.about, v.aspect, v.value, v.why) for v in Run(f"shop/results/{name}/search/words").verdicts()]
        for name in ("study", "english")
    ]
    assert reasons[0] == reasons[1]
    assert any(re.search(r"\d,\d{3}", why) for *_, why in reasons[0])  # numbers with English marks

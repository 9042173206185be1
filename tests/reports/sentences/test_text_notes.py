"""What is said of how texts were read, in the terminal and in reports, of tables and of runs."""

import neraca
from neraca.records import Answer, Item
from neraca.reports.sentences.notes import notes
from neraca.scores.sources.text_table import TextTable


def test_marks_that_one_side_lacks_are_told_of_runs_and_of_tables(folder):
    reference, response = "كتاب جديد", "كِتَابٌ جَدِيد"
    items = [Item(id=str(n), query="?", references=(reference,), tags={"language": "ar"}) for n in range(2)]
    run = folder("run", items, [Answer(item="0", text=response), Answer(item="1", text=reference)])
    beginning = "in 1 of 2 {} one side has harakat or tatweel that the other lacks: in Arabic and Persian they play no"
    assert any(note.startswith(beginning.format("answers")) for note in notes(neraca.score([run], "TokenF1")))
    table = neraca.text([reference] * 2, [response, reference], "TokenF1", language="ar")
    assert any(note.startswith(beginning.format("rows")) for note in notes(table))
    assert not any("harakat" in note for note in notes(neraca.score([run], "RR")))
    both = neraca.text([reference] * 2, [response, reference], "CER chrF", language="ar")
    (note,) = [note for note in notes(both) if "harakat" in note]
    assert note.endswith(": in Arabic and Persian they play no part in CER; they count as differences in chrF")
    assert (both.mean("CER"), both.mean("chrF") < 1) == (0, True), "which is so"


def test_marks_are_not_told_if_no_metric_compares_with_the_reference(tmp_path):
    (tmp_path / "rows.csv").write_text("reference,response,must_contain,language\nكتاب,كِتَاب,كتاب,ar\n", "utf-8")
    scores = TextTable(path=tmp_path / "rows.csv", metrics="Expectations").score()
    assert scores.runs[0].facts["marks"] == 1
    assert not any("harakat" in note for note in notes(scores))


def test_an_average_leaves_marks_out_if_its_parts_do():
    """Recall and F1 of tokens fold marks, so their mean is 1 for a text that differs by marks alone; chrF does not."""
    folded, mixed = "Average(TokenRecall,TokenF1)", "Average(TokenF1,chrF)"
    table = neraca.text(["كتاب جديد"], ["كِتَابٌ جَدِيد"], f"{folded} {mixed}", language="ar")
    assert (table.mean(folded), table.mean(mixed) < 1) == (1, True)
    (note,) = [note for note in notes(table) if "harakat" in note]
    no_part, _, differences = note.partition("they play no part in ")[2].partition("; they count as differences in ")
    assert no_part == f"{folded}, TokenRecall and TokenF1"
    assert differences == f"{mixed} and chrF"


def test_forms_of_characters_and_texts_without_spaces_are_told_with_the_remedy():
    references, responses = (
        ["12 km", "今天天气很好"],
        {"a": ["１２ km", "今天天气不好"], "b": ["12 km", "今天天气很好"]},
    )
    told = list(notes(neraca.text(references, responses, "TER chrF")))
    assert (
        "a: in 1 of 2 rows TER would differ by more than 0.05 if full-width signs and no-break spaces were read as "
        "plain ones, and unseen marks of direction not at all: TER(norm=nfkc) does so"
    ) in told
    assert any(note.startswith("a: in 1 of 2 rows chrF would differ") for note in told)
    assert any(note.startswith("a: in 1 of 2 rows TER takes a text that is written without spaces") for note in told)
    assert not any(note.startswith("b:") and "would differ" in note for note in told)


def test_digits_of_two_scripts_are_told_with_what_makes_them_equal():
    """2015 and ٢٠١٥ differ as words until digits are folded; a sign of thousands stays then, too."""
    references, responses = ["عام 2015", "سعر 450000", "في 7"], ["عام ٢٠١٥", "سعر ٤٥٠٬٠٠٠", "في 7"]
    told = list(notes(neraca.text(references, responses, "ExactMatch chrF", language="ar")))
    (note,) = [note for note in told if "digits" in note]
    assert note.startswith("in 2 of 3 rows one side has digits such as ٢٠١٥ and the other such as 2015: they count as")
    assert "differences in ExactMatch; --tokens word+fold makes them equal" in note
    folded = neraca.text(references, responses, "ExactMatch(tokens=word+fold)", language="ar")
    assert folded.runs[0].values("ExactMatch(tokens=word+fold)").tolist() == [1, 0, 1]
    assert not any("digits" in note for note in notes(folded))


def test_arabic_rows_without_an_arabic_letter_are_told(tmp_path):
    """A file in cp1256 that is read as cp1252 gives Latin letters; a row of digits alone is no sign of it."""
    rows = "reference,response,language\nالسعر مرتفع,السعر,ar\n15,16,ar\n"
    (tmp_path / "rows.csv").write_bytes(rows.encode("cp1256"))

    def told(encoding):
        scores = TextTable(path=tmp_path / "rows.csv", metrics="TokenF1", encoding=encoding).score()
        return [note for note in notes(scores) if "no letter is Arabic" in note]

    assert told("cp1256") == []
    (note,) = told("cp1252")
    assert note.startswith("in 1 of 2 rows the language is ar and no letter is Arabic")
    assert note.endswith("--encoding, such as cp1256")

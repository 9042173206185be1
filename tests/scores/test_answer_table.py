import neraca
from neraca.datasets.table_reader import read_table
from neraca.scores.answer_table import AnswerTable


def test_plain_headings(tmp_path):
    (tmp_path / "q.csv").write_text("query,ground_truth\nrooms?,four\n")
    named = {"metrics": "TFIDF ROUGE-L TokenF1", "path": tmp_path / "q.csv", "out": tmp_path / "out.csv"}
    table = AnswerTable(**named, headings="plain")
    run = neraca.ask(table.dataset, lambda query: "four rooms", tmp_path / "run")
    table.write(run)
    columns = read_table(tmp_path / "out.csv").columns
    assert columns[2:8] == ("actual_response", "cosine_similarity", "rouge_l", "token_f1", "average_score", "band")
    AnswerTable(**named).write(run)
    assert read_table(tmp_path / "out.csv").columns[3:8] == ("TFIDF", "ROUGE-L", "TokenF1", "Average", "Band")


QUESTIONS = "query,ground_truth{more}\nrooms?,four{cells[0]}\nlift?,yes{cells[1]}\n"


def test_checks_that_are_added_later_ask_nothing_again_and_say_what_failed(tmp_path):
    asked = []

    def system(query):
        asked.append(query)
        return "There are four rooms." if query == "rooms?" else "No."

    def table(name, more="", cells=("", ""), **options):
        (tmp_path / "q.csv").write_text(QUESTIONS.format(more=more, cells=cells))
        return AnswerTable(path=tmp_path / "q.csv", out=tmp_path / name, metrics="TokenRecall", **options)

    first = table("first.csv")
    first.write(neraca.ask(first.dataset, system, tmp_path / "run"))
    later = table("later.csv", ",must_contain,max_words", (",four,3", ",yes,"))
    scored = later.write(neraca.ask(later.dataset, system, tmp_path / "run"))
    assert asked == ["rooms?", "lift?"]
    rows = read_table(tmp_path / "later.csv")
    assert rows.columns[4:8] == ("actual_response", "TokenRecall", "Expectations", "failed_checks")
    assert [row["Expectations"] for row in rows.rows] == ["0.0", "0.0"]
    assert [row["failed_checks"] for row in rows.rows] == [
        "max_words: it has 4 words, more than 3",
        'must_contain: "yes" is not there',
    ]
    assert scored.scores.mean("Expectations") == 0
    partly = table("partly.csv", ",must_contain", (",four", ","))
    partly.write(neraca.ask(partly.dataset, system, tmp_path / "run"))
    assert [(row["Expectations"], row["note"] or "") for row in read_table(tmp_path / "partly.csv").rows] == [
        ("1.0", ""),
        ("", ""),
    ], "a question without a check is no trouble of its answer"
    mended = table("mended.csv", ",must_contain", (",four", ",No"))
    assert mended.write(neraca.ask(mended.dataset, system, tmp_path / "run")).scores.mean("Expectations") == 1
    assert neraca.score([tmp_path / "run"]).mean("Expectations") == 1  # the folder keeps the newest checks
    assert asked == ["rooms?", "lift?"]


def test_questions_with_checks_alone_need_no_reference(tmp_path):
    (tmp_path / "q.csv").write_text("query,must_contain\nrooms?,four\n")
    table = AnswerTable(path=tmp_path / "q.csv", out=tmp_path / "out.csv")
    scored = table.write(neraca.ask(table.dataset, lambda query: "four rooms", tmp_path / "run"))
    assert [str(metric) for metric in scored.scores.scored] == ["Expectations"]
    assert scored.scores.mean("Expectations") == 1

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

"""The report of a whole study."""

from dataclasses import replace

from builders import make_answer, make_item, make_run

from neraca.reports.formats.markdown import to_markdown
from neraca.reports.report import report
from neraca.reports.study_report import StudyPhase, study_document
from neraca.scores.score import score

METRIC = "nDCG(empty=correct)@10"


def test_cautions_call_metrics_by_the_labels_of_the_report(tmp_path):
    items = [make_item(str(n), relevant={"d": 1}) for n in range(12)]
    statuses = {"old": "complete", "new": "suspect"}
    runs = [
        make_run(
            tmp_path / name,
            items,
            [
                make_answer("d", item.id, status=status) if item.id != "3" else make_answer(item="3", status="error")
                for item in items
            ],
        )
        for name, status in statuses.items()
    ]
    made = report(score(runs, METRIC))
    (caution,) = [note for note in made.notes if "failed answer alone" in note]
    assert caution.startswith(f"{METRIC} of new rests on 1 failed answer alone")
    made = replace(made, notes=(caution,))  # the report of a study has the two gravest
    note = f"only {METRIC} could be scored"
    page = to_markdown(study_document("Study", [StudyPhase("search", made, "old", METRIC, note)]))
    sentences = [line for line in page.splitlines() if "failed answer alone" in line or "could be scored" in line]
    assert len(sentences) == 2
    assert all("nDCG@10" in line and METRIC not in line for line in sentences)

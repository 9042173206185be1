"""Two runs that three people rated, with what they left undecided; nothing here computes what a test checks."""

from pathlib import Path

from builders import make_answer, make_item, make_run, make_verdict

from neraca.records import Verdict
from neraca.runs.run import Run

#: Question → what the data set says that it expects.
EXPECTED = {"q1": "results", "q2": "results", "q3": "none", "q4": "results", "q5": "none", "q6": "results"}
ANSWERS = {
    "s1": {"q1": "h1 h2", "q2": "v1 v2 v3", "q3": "", "q4": "f1", "q5": "z1", "q6": None},
    "s2": {"q1": "h2 h3", "q2": "", "q3": "c1", "q4": "f1", "q5": "", "q6": "g1 g2"},
}
#: Run, question and document → what ana, budi and cici say.
RELEVANCE = {
    ("s1", "q1", "h1"): "11",
    ("s1", "q1", "h2"): "11",
    ("s1", "q2", "v1"): "10",
    ("s1", "q2", "v2"): "00",
    ("s1", "q2", "v3"): "111",
    ("s1", "q4", "f1"): "101",
    ("s1", "q5", "z1"): "01",
    ("s2", "q1", "h2"): "11",
    ("s2", "q1", "h3"): "10",
    ("s2", "q3", "c1"): "00",
    ("s2", "q4", "f1"): "101",
    ("s2", "q6", "g1"): "11",
    ("s2", "q6", "g2"): "01",
}
EXPECTS = {("s1", "q3"): "01", ("s2", "q2"): "10", ("s2", "q5"): "00"}
QUALITY = {
    "s1": {"q1": "341", "q2": "42", "q3": "54", "q4": "52", "q5": "13"},
    "s2": {"q1": "54", "q2": "01", "q3": "10", "q4": "52", "q5": "54", "q6": "35"},
}
NAMES = ("ana", "budi", "cici")


def by_people(values: str, **place: str) -> list[Verdict]:
    """One verdict of each person."""
    return [
        Verdict(value=float(value), by=f"human:{name}", **place) for name, value in zip(NAMES, values, strict=False)
    ]


def rated_runs(folder: Path) -> list[Run]:
    """The runs s1 and s2: six questions, of which four hits and two expectations stay undecided."""
    items = [make_item(name, expects=expects) for name, expects in EXPECTED.items()]
    runs = []
    for run, docs in ANSWERS.items():
        answers = [
            make_answer(item=item, status="error") if names is None else make_answer(names, item, text="as asked")
            for item, names in docs.items()
        ]
        verdicts = [
            make_verdict(doc, "relevance", float(value), f"human:{name}", item=item)
            for (of_run, item, doc), values in RELEVANCE.items()
            if of_run == run
            for name, value in zip(NAMES, values, strict=False)
        ]
        for (of_run, item), values in EXPECTS.items():
            if of_run == run:
                verdicts += by_people(values, item=item, about="item", aspect="expects")
        for item, values in QUALITY[run].items():
            verdicts += by_people(values, item=item, about="answer", aspect="quality")
        runs.append(make_run(folder / run, items, answers, verdicts))
    return runs


def decide(run: Run, **verdict: object) -> None:
    """Let a further person decide something."""
    with run.writing():
        run.add_verdicts([Verdict(by="human:dedi", **verdict)])

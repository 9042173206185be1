"""Not found, or not there: the same bad answers beside two knowledge bases, judged by a model on loopback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from journeys.test_llm_judge import MODEL, STREETS, answered, neraca, note, rag, reply, server
from models.llm_server import Call, LlmServer

from neraca.errors import SpecError
from neraca.runs.run import Run
from neraca.study import run_study
from neraca.study_file import read_study

__all__ = ["answered", "rag", "server"]
METRICS = "CorpusCoverage ContextRecall FindableRecall ContextPrecision Faithfulness ClaimF"
WORDS = ("--embed", "none")


def knowledge_base(folder: Path, streets: list[str]) -> str:
    """Write a note of each house; the system under test knows the first seven."""
    kb = folder / "kb"
    kb.mkdir()
    for street in streets:
        (kb / f"{street}.md").write_text(note(street, STREETS.index(street) + 2), encoding="utf-8")
    return "kb"


def judge(server: LlmServer, kb: str, *words: str) -> tuple[str, ...]:
    return ("judge", "run", "--judge", "corpus", "--corpus", kb, "--url", server.url, *MODEL, *WORDS, *words)


def advice(folder: Path) -> str:
    neraca(folder, "report", "run", "--to", "report.md", "-m", METRICS)
    text = (folder / "report.md").read_text(encoding="utf-8")
    return text[text.index("## What to mend first") : text.index("## How these numbers")]


def values(folder: Path) -> dict[str, tuple[float, int]]:
    rows = map(json.loads, neraca(folder, "score", "run", "--json", "-m", METRICS)[0].splitlines())
    return {row["metric"]: (row["value"], row["n"]) for row in rows}


def test_what_the_knowledge_base_lacks_is_not_blamed_on_the_retriever(rag: Path, server: LlmServer) -> None:
    kb = knowledge_base(rag, STREETS[:7])
    told = json.loads(neraca(rag, *judge(server, kb, "--dry-run", "--json"))[0])
    assert server.count == 0
    spent = json.loads(neraca(rag, *judge(server, kb, "--judge", "claims", "--json"))[0].splitlines()[0])
    assert (spent["judge"], spent["calls"], spent["unscored"]) == ("corpus", told["calls"], 0)
    assert spent["calls"] == 3 + 24, "the references by tens, then one call a question"
    scored = values(rag)
    assert scored["CorpusCoverage"] == (pytest.approx(14 / 24), 24)
    assert scored["FindableRecall"] == (1, 14)
    text = advice(rag)
    assert "Of the 17 bad answers, 10 come from what the knowledge base has and 7 come from how answers are" in text
    assert (
        "Not there: no retriever could have answered questions Hazel1, Hazel2, Iris1, Iris2, Juniper1 and 5 more"
        in text
    )
    before = server.count
    out, err = neraca(rag, *judge(server, kb))
    assert "to pay for nothing: all 24 replies are in the cache" in err
    assert f"{kb}: 7 documents in 7 passages of at most 100 words" in err
    assert "0 new verdicts by corpus" in out
    assert server.count == before


def test_what_is_there_and_was_not_found_is(rag: Path, server: LlmServer) -> None:
    kb = knowledge_base(rag, STREETS)
    neraca(rag, *judge(server, kb, "--judge", "claims"))
    scored = values(rag)
    assert scored["CorpusCoverage"] == (1, 24)
    assert scored["FindableRecall"] == (pytest.approx(14 / 24), 24)
    assert "Of the 17 bad answers, 10 come from what is found and 7 come from how answers are made" in (
        text := advice(rag)
    )
    assert "Not there" not in text


def test_a_budget_and_failures_end_as_with_every_judge(rag: Path, server: LlmServer) -> None:
    kb = knowledge_base(rag, STREETS[:7])
    whole = json.loads(neraca(rag, *judge(server, kb, "--dry-run", "--json"))[0])["cost"]
    _, err = neraca(rag, *judge(server, kb, "--budget", f"{whole * 0.6:.6f}"), code=3)
    assert "the same command with a higher budget goes on from here" in err
    assert 0 < len({verdict.item for verdict in Run(rag / "run").verdicts()}) < 24
    server.fail = lambda call: "503" if "You check statements" in call.system else None
    out, _ = neraca(rag, *judge(server, kb, "--set", "retries=0"), code=3)
    assert "not everything could be decided" in out
    server.fail = lambda call: None
    neraca(rag, *judge(server, kb, "--retry-undecided"))
    last = {(v.item, v.about, v.aspect): v.value for v in Run(rag / "run").verdicts()}
    assert {value for (_, _, aspect), value in last.items() if aspect == "in_corpus"} == {0.0, 1.0}


STUDY = """
name = "flats"
dataset.file = "questions.csv"
[targets.flat]
kind = "replay"
file = "answers.jsonl"
[judges.corpus]
corpus = "CORPUS"
model = "openai:judge"
url = "URL"
embed = "none"
MORE
[models]
cache = "models.sqlite"
[score]
metrics = ["CorpusCoverage"]
"""


def written(folder: Path, url: str, corpus: str = "kb.csv", more: str = "") -> Path:
    (folder / "kb.csv").write_text("id,text\nd1,It has three rooms.\n")
    (folder / "questions.csv").write_text("id,question,reference\n1,Rooms?,It has three rooms.\n2,Dogs?,One dog.\n")
    (folder / "answers.jsonl").write_text('{"id": "1", "response": "?"}\n{"id": "2", "response": "?"}\n')
    study = folder / "study.toml"
    study.write_text(STUDY.replace("CORPUS", corpus).replace("URL", url).replace("MORE", more))
    return study


def test_a_study_names_a_corpus_beside_it(tmp_path: Path, server: LlmServer) -> None:
    seen: list[Call] = []
    server.reply = lambda call: seen.append(call) or reply(call)
    (result,) = run_study(written(tmp_path, server.url))
    (score,) = result.scores.overall()
    assert (score.metric, score.value, score.n) == ("CorpusCoverage", 0.5, 2)
    assert len(seen) == 2, "no passage shares a word with a dog"
    with pytest.raises(SpecError, match="judge corpus: no setting 'pasages'; did you mean passages"):
        read_study(written(tmp_path, server.url, more="pasages = 3"))

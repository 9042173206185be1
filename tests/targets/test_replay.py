from pathlib import Path

import msgspec
import openpyxl
import pytest

import neraca
from neraca.datasets.beir_qrels import read_qrels
from neraca.errors import InputError, RunError, SpecError, TargetError
from neraca.journal import Journal
from neraca.records import Answer, Hit, Item
from neraca.targets.replay import ReplayTarget
from neraca.targets.target import Conversation, Turn

TALK = Conversation(id="c")


@pytest.fixture
def recorded(tmp_path):
    """Writes a file of recorded answers and gives a target that replays it."""

    def write(name: str, text: str | bytes, **settings) -> ReplayTarget:
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return ReplayTarget({"kind": "replay", "file": str(file), **settings})

    return write


def ask(target, id="1", query="?", talk=TALK, **fields):
    return target.ask(Item(id=id, query=query, **fields), talk)


async def test_answers_of_a_run(tmp_path):
    file = tmp_path / "answers.jsonl"
    first = Answer(
        item="1", text="a", hits=(Hit(id="x", fields={"p": 1}),), seconds=1.5, key="k", at="2026-01-01T00:00:00Z"
    )
    with Journal(file, Answer) as journal:
        journal.append(first, Answer(item="1", trial=1, text="b"), Answer(item="2", status="error", error="down"))
        journal.append(Answer(item="2", text="second attempt"))
    with file.open("ab") as torn:
        torn.write(b'{"v":1,"item":"3","te')
    target = ReplayTarget({"file": str(file)})
    assert target.stateful is False
    assert await ask(target) == msgspec.structs.replace(first, key="")
    assert (await ask(target, talk=Conversation(id="c", trial=1))).text == "b"
    assert (await ask(target, "2")).text == "second attempt"
    with pytest.raises(TargetError, match=r"no recorded answer for item '1', trial 2") as raised:
        await ask(target, talk=Conversation(id="c", trial=2))
    assert raised.value.refused
    with pytest.raises(TargetError, match=r"answers.jsonl has no recorded answer for item '3'$"):
        await ask(target, "3")
    await target.close()


async def test_a_failed_answer_is_replayed_as_such(tmp_path):
    with Journal(tmp_path / "answers.jsonl", Answer) as journal:
        journal.append(Answer(item="1", status="timeout", error="60 s"))
    answer = await ask(ReplayTarget({"file": str(tmp_path / "answers.jsonl")}))
    assert (answer.status, answer.error) == ("timeout", "60 s")


async def test_a_table_as_ragas_has_it(recorded):
    row = {"user_input": "?", "retrieved_contexts": ["a", "b"], "response": "r", "reference": "ref"}
    for name, text in (
        ("a.jsonl", b"\xef\xbb\xbf\n" + msgspec.json.encode(row)),
        ("a.json", msgspec.json.encode([row])),
        ("a.csv", "user_input,retrieved_contexts,response\r\n?,\"['a', 'b']\",r\r\n"),
        ("a.tsv", '\ufeffUser Input\tRetrieved Contexts\tResponse\n?\t"[""a"", ""b""]"\tr\n'),
    ):
        answer = await ask(recorded(name, text), id="any")
        assert (answer.item, answer.text, [hit.text for hit in answer.hits]) == ("any", "r", ["a", "b"]), name
        assert answer.note == ""


@pytest.mark.parametrize(
    ("query", "text"), [("query", "actual_response"), ("pertanyaan", "jawaban"), ("pregunta", "respuesta")]
)
async def test_a_table_as_testers_have_it(recorded, query, text):
    assert (await ask(recorded("a.csv", f"{query},ground_truth,{text}\n?,gt,r\n"), id="any")).text == "r"


async def test_ids_in_a_cell_are_separated_as_in_relevant(recorded):
    target = recorded("a.csv", "id,hits\n1,d9; d1 | d7;\n2,d9\n3,A pool; a garden.\n4,;\n")
    ids = {id: [hit.id for hit in (await ask(target, id)).hits] for id in "12"}
    assert ids == {"1": ["d9", "d1", "d7"], "2": ["d9"]}
    texts = {id: [hit.text for hit in (await ask(target, id)).hits] for id in "34"}
    assert texts == {"3": ["A pool; a garden."], "4": [";"]}


async def test_all_columns(recorded):
    text = (
        "ID,trial,answer_text,contexts,latency_ms,ttft,status,error,usage,tool_calls\n"
        '7,0,a,just one,250,0.1,ok,,"{""in"": 3}","[{""name"": ""f""}]"\n'
        "7,1,,,,,failed,too late,,\n"
        "7,2,b,[not json,0,,,boom,,\n"
    )
    target = recorded("a.csv", text)
    zero, one, two = [await ask(target, "7", talk=Conversation(id="c", trial=trial)) for trial in range(3)]
    assert (zero.text, zero.hits[0].text, zero.seconds, zero.first_token_seconds) == ("a", "just one", 0.25, 0.1)
    assert (zero.status, zero.usage, zero.calls) == ("complete", {"in": 3}, ({"name": "f"},))
    assert (one.text, one.status, one.error, one.seconds) == ("", "error", "too late", None)
    assert (two.hits[0].text, two.seconds, two.status, two.error) == ("[not json", 0, "error", "boom")


async def test_a_table_in_another_encoding_and_with_another_delimiter(recorded):
    text = "pregunta;respuesta\n¿año?;mañana\n"
    answer = await ask(recorded("a.csv", text.encode("cp1252"), encoding="cp1252"), id="any", query="¿año?")
    assert answer.text == "mañana"
    assert (await ask(recorded("a.csv", text.encode("utf-16")), id="any", query="¿año?")).text == "mañana"


async def test_a_workbook(tmp_path):
    """Ids and answers that are numbers there are what a reader sees."""
    book = openpyxl.Workbook()
    for row in (["id", "question", "answer", "latency"], [7, "  how many? ", 3.0, 0.5]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    answer = await ask(ReplayTarget({"file": str(tmp_path / "a.xlsx")}), id="7", query="how many?")
    assert (answer.text, answer.seconds) == ("3", 0.5)


async def test_columns_by_name(recorded):
    text = '{"Frage": "?", "Bot": 5, "response": "no", "took": 2, "docs": {"no": 1}}'
    target = recorded("a.jsonl", text, columns={"query": "Frage", "text": "Bot", "seconds": "took"})
    answer = await ask(target)
    assert (answer.text, answer.seconds, answer.hits) == ("5", 2.0, ())
    with pytest.raises(SpecError, match=r"columns.text: no column 'Bto'; did you mean Bot"):
        recorded("a.jsonl", text, columns={"query": "Frage", "text": "Bto"})


async def test_the_same_question_several_times(recorded):
    rows = [
        {"query": "lagi?", "session": session, "response": f"{session}{n}"} for session in ("s", "t") for n in (1, 2)
    ]
    target = recorded("a.json", msgspec.json.encode(rows))
    again = Conversation(id="c", turns=(Turn("lagi?", "x"), Turn("lain?", "y")))
    assert (await ask(target, query="lagi?", session="s")).text == "s1"
    assert (await ask(target, query="lagi?", session="s", talk=again)).text == "s2"
    assert (await ask(target, query="lagi?", session="t", talk=again)).text == "t2"
    assert (await ask(target, query="lagi?", session="unknown", talk=again)).text == "s2"
    alone = await ask(target, query="lagi?")
    assert (alone.text, alone.note) == ("s1", "the first of 4 recorded answers to this question")
    with pytest.raises(TargetError, match="no recorded answer"):
        await ask(target, query="Lagi?")


async def test_ids_go_first_unless_they_name_another_question(recorded):
    target = recorded("a.csv", "id,query,answer\n1,satu?,a\n2,dua?,c\n2,dua?,c\n")
    assert (await ask(target, "1", "satu?")).text == "a"
    assert (await ask(target, "1", "satu? ")).text == "a"
    assert (await ask(target, "1", "dua?")).text == "c"
    twice = await ask(target, "2", "dua?")
    assert (twice.text, twice.note) == ("c", "")
    with pytest.raises(TargetError, match=r"under item '1' another question was recorded: 'satu\?'") as raised:
        await ask(target, "1", "tiga?")
    assert raised.value.refused


def test_two_answers_under_one_id_are_refused_unless_they_are_trials(recorded):
    with pytest.raises(InputError, match=r"a.csv line 4: '1' has another answer in line 2; leave one of them out, or"):
        recorded("a.csv", "id,answer\n1,a\n2,b\n1,c\n")
    recorded("a.csv", "id,trial,answer\n1,0,a\n1,1,c\n")


async def test_a_mark_for_a_missing_value_is_an_empty_cell_and_said(recorded):
    target = recorded("a.csv", "id,answer,hits,seconds\n1,NaN,nan,#N/A\n2,None,d1,2\n")
    empty = await ask(target, "1")
    assert (empty.text, empty.hits, empty.seconds) == ("", (), None)
    assert empty.note == "a mark such as NaN, read as an empty cell: answer, hits, seconds"
    other = await ask(target, "2")
    assert (other.text, other.note) == ("None", "")


async def test_a_recording_without_trials_says_so(recorded):
    target = recorded("a.csv", "id,answer\n1,a\n")
    answer = await ask(target, talk=Conversation(id="c", trial=3))
    assert (answer.text, answer.trial) == ("a", 3)
    assert answer.note == "the recording names no trials: each trial gets the same answer"


@pytest.mark.parametrize(
    "name, text, told",
    [
        ("a.doc", "", "a.doc: .doc is not read; use one of .csv .tsv .txt .xlsx"),
        ("a.jsonl", '{"id": 1, "answer": "a"}\n[1]\n', "a.jsonl line 2: must be a JSON object"),
        ("a.jsonl", b'{"id": "\xe9"}\n', "a.jsonl line 1: byte 9 (0xe9) is not UTF-8; save the file as UTF-8"),
        ("a.jsonl", b'{"id": 1, "answer": "a"}\n{"id": "\xe9"}\n', "a.jsonl line 2: byte 9 (0xe9) is not UTF-8"),
        ("a.json", b'[\n{"id": "\xe9"}]', "a.json line 2: byte 9 (0xe9) is not UTF-8"),
        ("a.json", '{"id": 1}', "a.json: must be a list of objects"),
        ("a.csv", b"id,answer\n1,\xff\n", "a.csv line 2: byte 3 (0xff) is not UTF-8"),
        ("a.csv", b"id,\xff\n1,a\n", "a.csv line 1: byte 4 (0xff) is not UTF-8"),
        ("a.csv", b"id,answer\n1,\xff\n", 'UTF-8, or write encoding = "cp1252" in the table of the target'),
        ("a.csv", "", "a.csv: the file is empty"),
        (
            "a.csv",
            "who,answer\n1,2\n",
            "no column for id or query (found: who, answer); name it in columns.id or columns.query",
        ),
        ("a.csv", "id,reply\n1,2\n", "no column for text or hits (found: id, reply)"),
        ("a.csv", "id,answer,latency\n1,a,1\n\n2,b,slow\n", "a.csv line 4: could not convert string to float: 'slow'"),
        (
            "a.csv",
            "id,answer,status\n1,a,maybe\n",
            "the status 'maybe' is unknown; write one of complete",
        ),
        ("a.csv", "id,answer,trial\n1,a,x\n", "a.csv line 2: invalid literal for int()"),
        ("a.json", '[{"id": 1, "hits": [3]}]', "a.json row 1: a hit must be text or a table"),
        ("a.json", '[{"id": 1, "answer": "a", "seconds": []}]', "a.json row 1: float() argument"),
    ],
)
def test_files_that_cannot_be_read(recorded, name, text, told):
    with pytest.raises(InputError) as raised:
        recorded(name, text)
    assert told in str(raised.value)


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match=r"none.jsonl: no such file; a replay target needs recorded answers"):
        ReplayTarget({"file": "none.jsonl"})


async def test_costs_and_tokens_in_columns_of_their_own_are_usage(recorded):
    target = recorded("a.csv", "id,response,cost_usd,prompt_tokens,seconds\n1,yes,0.25,12,1.5\n2,no,,,\n")
    assert (await ask(target)).usage == {"cost": 0.25, "input_tokens": 12}
    assert (await ask(target, "2")).usage == {}
    target = recorded("b.jsonl", '{"id":"1","response":"yes","cost":0.25,"usage":{"cost":0.5,"v":1}}\n')
    assert (await ask(target)).usage == {"cost": 0.5, "v": 1}, "the table of usage counts"


def test_the_runs_of_two_tables_with_questions_and_answers_are_compared(tmp_path):
    rows = [{"id": f"q{n}", "question": f"question {n}", "reference": "yes", "colour": "red"} for n in range(4)]
    for name in ("old", "new"):
        answers = [{**row, "response": f"{name} yes", "contexts": [name], "cost": 0.5, "seconds": 2} for row in rows]
        (tmp_path / f"{name}.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, answers)))
    runs = [neraca.ask(file, f"replay:{file}", tmp_path / file.stem) for file in sorted(tmp_path.glob("*.jsonl"))]
    assert [run.name for run in neraca.score(runs, "TokenRecall").runs] == ["new", "old"]
    rows[2]["colour"] = "blue"
    other = neraca.ask(rows, f"replay:{tmp_path / 'old.jsonl'}", tmp_path / "other")
    message = r"question 3 \(q2\) differs first, in its extra: \{'colour': 'red'\} in the one"
    with pytest.raises(InputError, match=message):
        neraca.score([runs[0], other], "TokenRecall")


def test_a_run_does_not_go_on_when_a_column_that_its_target_saw_has_changed(tmp_path):
    """`status` may be a part of a recorded answer; here it is sent to a target."""
    rows = [{"id": "1", "question": "rooms?", "status": "for sale"}]
    run = neraca.ask(rows, lambda query: "three", tmp_path / "run")
    assert neraca.ask(rows, lambda query: "three", tmp_path / "same").manifest.fingerprint == run.manifest.fingerprint
    target = {"kind": "command", "command": "echo three"}
    neraca.ask(rows, target, tmp_path / "sent")
    rows[0]["status"] = "for rent"
    with pytest.raises(RunError, match=r"the questions differ .*first at item 1"):
        neraca.ask(rows, target, tmp_path / "sent")


def test_a_trec_run_is_replayed_with_the_values_of_trec(tmp_path):
    """The run lacks two queries that have relevant documents; both count 0."""
    data = Path(__file__).parents[2] / "docs/trec"
    qrels = read_qrels(data / "qrels.txt").relevant(read_qrels(data / "qrels.txt").grades, "itself")
    items = [{"id": query, "question": f"what is {query}?", "relevant": grades} for query, grades in qrels.items()]
    metrics = ["nDCG@10", "AP", "R@100"]
    lines = (data / "hybrid.run").read_text().splitlines(keepends=True)
    file = tmp_path / "fewer.run"
    file.write_text("".join(line for line in lines if line.split()[0] not in ("q01", "q02")))
    run = neraca.ask(items, f"replay:{file}", tmp_path / "fewer")
    scored, expected = neraca.score([run], metrics), neraca.trec(data / "qrels.txt", file, metrics)
    assert {answer.seconds for answer in run.answers().values()} == {None}, "reading a file is not the system's time"
    assert all(max(qrels[query].values()) > 0 for query in ("q01", "q02"))
    assert [scored.mean(m) for m in metrics] == pytest.approx([expected.mean(m) for m in metrics], rel=1e-12)
    assert sum(not answer.hits for answer in run.answers().values()) == 2


def test_the_depth_and_the_encoding_of_a_trec_run(tmp_path):
    (tmp_path / "a.run").write_text("q Q0 dé1 1 9 a\nq Q0 dé3 3 7 a\nq Q0 dé2 2 8 a\n", encoding="latin-1")
    settings = {"kind": "replay", "file": str(tmp_path / "a.run"), "encoding": "latin-1"}
    run = neraca.ask([{"id": "q", "question": "?"}], {**settings, "depth": 2}, tmp_path / "two")
    assert [hit.id for hit in run.answers()["q", 0].hits] == ["dé1", "dé2"]
    with pytest.raises(SpecError, match="depth: at least 1, not 0"):
        neraca.ask([{"id": "q", "question": "?"}], {**settings, "depth": 0}, tmp_path / "none")

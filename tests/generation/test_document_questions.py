"""Questions from documents: planted faults are refused, good questions are kept, and nothing is paid twice."""

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing

import pytest
from generation.planted_questions import COMPLETE, Writer, branches, fault_of, read, reply_to, write_folder
from judges.scripted_model import CODE, Script, data_of
from models.llm_server import LlmServer

import neraca
from neraca.errors import BudgetReached, InputError, SpecError
from neraca.models.model_session import ModelSession
from neraca.reports.document_card import card_document, summary

FILES = ("questions.jsonl", "refused.jsonl", "verdicts.jsonl")


def make(tmp_path, n, writer=None, script=None, world=None, dry_run=False, **settings):
    """Questions about a folder of branches, by a scripted model; and the script, which counts calls."""
    folder = write_folder(tmp_path / "docs", world or branches(40))
    script = script or Script(lambda prompt, repeat: reply_to(writer or Writer(()))(prompt))
    with ModelSession(tmp_path / "cache.sqlite", concurrency=1, dry_run=dry_run) as session:
        settings = {"model": "openai:writer", "language": "en", "session": session, "chat": script, **settings}
        return neraca.generate_from_documents(folder, n, **settings), script


def written(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def test_faulty_questions_are_refused_and_good_ones_are_kept(tmp_path):
    writer = Writer()
    questions, script = make(tmp_path, 30, writer, kinds="single=0.6,unanswerable=0.2,multi=0.2")
    faulty = [question for question in questions.checked if fault_of(writer, question.draft)]
    good = [question for question in questions.checked if not fault_of(writer, question.draft)]
    assert len(questions) == 30
    assert set(Counter(writer.truth.values())) == {"", *writer.faults}, "every fault was planted"
    assert len(faulty) >= 25
    assert sum(question.accepted for question in faulty) <= 0.05 * len(faulty)
    assert sum(not question.accepted for question in good) <= 0.05 * len(good)
    assert script.calls <= 2.2 * len(questions), "half of what is written is refused, and all calls count"


def test_accepted_questions_have_right_answers_and_refused_ones_the_reason(tmp_path):
    writer = Writer()
    questions, _ = make(tmp_path, 20, writer, kinds="single=0.5,unanswerable=0.25,multi=0.25")
    questions.save(tmp_path / "q")
    dataset = neraca.read_dataset(tmp_path / "q")
    assert dataset.fingerprint == questions.dataset.fingerprint
    assert Counter(item.tags["kind"] for item in dataset) == {"single": 10, "unanswerable": 5, "multi": 5}
    for item in dataset:
        about = {f"{name.split()[0].lower()}.md" for name in branches(40) if name in item.query}
        match item.tags["kind"], item.tags.get("unanswerable"):
            case "unanswerable", "underspecified":
                assert (item.relevant, item.expects, item.references) == (None, None, ())
            case "unanswerable", _:
                assert (item.relevant, item.expects, item.references) == ({}, "none", ())
            case _:
                assert (set(item.relevant), item.expects) == (about, "results")
                assert item.references[0]
    refused = [json.loads(line) for line in (tmp_path / "q/refused.jsonl").read_text("utf-8").splitlines()]
    assert all(row["refused"] for row in refused)
    assert {*map(str, (row["id"] for row in refused))}.isdisjoint(item.id for item in dataset)
    verdicts = questions.verdicts()
    assert {verdict.about for verdict in verdicts} == {"item"}
    failed = {verdict.item for verdict in verdicts if verdict.value == 0 and verdict.aspect != "known"}
    assert failed == {row["id"] for row in refused}


def test_the_second_turn_of_a_conversation_needs_the_first(tmp_path):
    writer = Writer((COMPLETE,))
    questions, _ = make(tmp_path, 14, writer, kinds="followup")
    assert len(questions) == 14
    sessions = Counter(item.session for item in questions.dataset)
    for item in questions.dataset:
        if item.tags["turn"] == "next":
            assert sessions[item.session] == 2
            assert "branch" not in item.query
            assert "branch" in item.extra["standalone"]
            assert len(item.relevant) == 1
    turns = [(item.session, item.tags["turn"]) for item in questions.dataset]
    assert all(session for session, _ in turns), "no first turn is asked without the turn after it"
    assert turns[::2] == [(session, "first") for session, _ in turns[1::2]], "each turn follows its first"
    refused = {question.draft.question: question for question in questions.refused}
    assert refused
    for question in refused.values():
        is_next = question.draft.kind == "next"
        assert [check.aspect for check in question.failed] == ["needs_history" if is_next else "follows"]
        assert not is_next or fault_of(writer, question.draft) == COMPLETE


def test_an_odd_number_of_turns_gives_a_question_of_another_kind_and_alone_is_an_error(tmp_path):
    questions, _ = make(tmp_path, 10, kinds="single=0.3,followup=0.7")
    assert questions.asked == {"single": 4, "followup": 6}
    assert questions.counts("kind") == {"single": 4, "followup": 6}
    with pytest.raises(SpecError, match=r"a conversation has two turns.* name an even number, not 3"):
        make(tmp_path, 3, kinds="followup")


def test_a_turn_after_a_refused_question_is_refused(tmp_path):
    good = reply_to(Writer(()))

    def invented(prompt, repeat):
        reply = good(prompt)
        if "q1" in reply and "quotes" in reply["q1"]:
            reply["q1"]["quotes"] = [{"document": "d1", "text": "dogs stay at home on Sundays"}]
        return reply

    questions, _ = make(tmp_path, 4, script=Script(invented), kinds="followup")
    aspects = [[check.aspect for check in question.failed] for question in questions.checked]
    assert len(questions) == 0
    assert ["grounded"] in aspects
    assert ["follows"] in aspects


def test_another_document_that_answers_as_well_is_relevant_too(tmp_path):
    world = branches(3)
    name, values = next(iter(world.items()))
    folder = write_folder(tmp_path / "docs", world)
    notice = f"# News of spring\n\nAt the {name} much is new. Behind the building there are {values['bikes']} covered "
    (folder / "notice.md").write_text(f"{notice}stands for the bicycles of visitors. All are invited to the party.\n")
    script = Script(lambda prompt, repeat: reply_to(Writer(()))(prompt))
    with ModelSession(tmp_path / "c.sqlite") as session:
        questions = neraca.generate_from_documents(
            folder, 15, kinds="single", model="openai:w", language="en", session=session, chat=script
        )
    relevant = {item.query: set(item.relevant) for item in questions.dataset}
    file = f"{name.split()[0].lower()}.md"
    assert relevant[f"How many bikes can be parked at the {name}?"] == {file, "notice.md"}
    assert sum("notice.md" in documents for documents in relevant.values()) == 1


def reading(change):
    """A script whose reader replies as a good one does, after `change` of the number and the entry of each question."""
    good = reply_to(Writer(()))

    def reply(prompt, repeat):
        replies = good(prompt)
        if prompt.kind.__name__ != "ReadingReply":
            return replies
        return {key: change(number, entry) for number, (key, entry) in enumerate(replies.items())}

    return Script(reply)


def test_a_reader_that_names_texts_and_gives_no_answer_passes_nothing(tmp_path):
    script = reading(lambda number, entry: entry | {"answer": "", "alone": ["x1"]})
    questions, _ = make(tmp_path, 6, script=script, kinds="single=0.5,unanswerable=0.5")
    assert len(questions) == 0
    read = [check for question in questions.checked for check in question.checks if check.by != "rules"]
    assert read
    assert {(check.outcome.value, check.outcome.why) for check in read} == {
        (None, "the second reader names texts that answer it, and gives no answer")
    }


def test_a_reason_of_null_does_not_lose_the_questions_of_a_call(tmp_path):
    script = reading(lambda number, entry: entry | {"reason": None} if number == 0 else entry)
    questions, _ = make(tmp_path, 6, script=script, kinds="single")
    assert (len(questions), questions.unchecked) == (6, [])


def knowing(answer):
    """A script that answers without texts by `answer` of the number of the question; "-": it leaves the answer out."""
    reader = reply_to(Writer(()))

    def reply(prompt, repeat):
        if prompt.kind.__name__ != "AnswersAlone":
            return reader(prompt)
        data = data_of(prompt)
        assert set(data) == {"questions"}, "no document is shown"
        return {
            key: {"answer": answer(number)} for number, key in enumerate(data["questions"]) if answer(number) != "-"
        }

    return Script(reply)


def test_what_a_model_knows_without_documents_is_marked_and_kept(tmp_path):
    plain, _ = make(tmp_path / "plain", 12, kinds="single=0.75,unanswerable=0.25")
    answers = [question.draft.answer for question in plain.accepted if question.draft.answerable]
    script = knowing(lambda number: answers[number] if number < 3 else "17 of 1999" if number < 5 else "")
    questions, _ = make(tmp_path, 12, script=script, kinds="single=0.75,unanswerable=0.25")
    assert [item.query for item in questions.dataset] == [item.query for item in plain.dataset], "nothing is refused"
    marks = [item.tags.get("known") for item in questions.dataset if item.expects == "results"]
    assert marks == ["yes"] * 3 + ["no"] * 6
    assert all("known" not in item.tags for item in questions.dataset if item.expects != "results")
    values = [verdict.value for verdict in questions.verdicts() if verdict.aspect == "known"]
    assert values == [1.0] * 3 + [0.0] * 6
    assert "writer answers 3 questions of 9 without any document" in " ".join(summary(questions))


def test_a_question_without_a_usable_reply_has_no_mark_and_is_counted(tmp_path):
    questions, _ = make(tmp_path, 12, script=knowing(lambda number: "-"), kinds="single")
    assert len(questions) == 12
    assert all("known" not in item.tags for item in questions.dataset)
    said = "whether a model answers them without documents is not known of 12 questions"
    assert said in " ".join(summary(questions))


def test_when_the_budget_ends_before_the_marks_the_questions_are_kept_and_marked_by_another_start(tmp_path):
    _, script = make(tmp_path, 12, kinds="single")
    limited = Script(script.reply, budget=script.calls - 1)
    part, _ = make(tmp_path, 12, script=limited, kinds="single")
    assert (len(part), isinstance(part.stopped, BudgetReached)) == (12, True)
    part.save(tmp_path / "q")
    limited.budget = None
    make(tmp_path, 12, script=limited, kinds="single")[0].save(tmp_path / "q")
    assert [item.tags["known"] for item in neraca.read_dataset(tmp_path / "q")] == ["no"] * 12
    assert limited.calls == script.calls, "nothing was asked twice"


def test_an_exact_copy_of_a_document_is_a_right_answer_to_each_kind(tmp_path):
    world = branches(6)
    folder = write_folder(tmp_path / "docs", world)
    for path in list(folder.iterdir()):
        (folder / f"copy_{path.name}").write_text(path.read_text("utf-8"), "utf-8")
    script = Script(lambda prompt, repeat: reply_to(Writer(()))(prompt))
    with ModelSession(tmp_path / "c.sqlite") as session:
        settings = {"model": "openai:w", "language": "en", "session": session, "chat": script}
        questions = neraca.generate_from_documents(folder, 8, kinds="single=0.5,multi=0.5", **settings)
    assert questions.counts("kind")["multi"] > 0
    for item in questions.dataset:
        names = {name.removeprefix("copy_") for name in item.relevant}
        assert set(item.relevant) == names | {f"copy_{name}" for name in names}
        assert len(names) == (2 if item.tags["kind"] == "multi" else 1)


def test_equal_seeds_and_replies_give_equal_bytes_and_another_seed_gives_other_questions(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        make(tmp_path, 12, seed=seed)[0].save(tmp_path / name)
    assert written(tmp_path / "a") == written(tmp_path / "b") != written(tmp_path / "c")


def test_the_card_breaks_no_names_of_checks_and_has_each_title_once(tmp_path):
    questions, _ = make(tmp_path, 8, kinds="single=0.5,unanswerable=0.5")
    card_document(questions).save(tmp_path / "card.html")
    page = (tmp_path / "card.html").read_text("utf-8")
    assert (
        '<th scope="row" class="whole" dir="auto"><span class="of" dir="auto">check</span> nothing_found</th>' in page
    )
    assert '<span class="hidden">All questions</span></caption>' in page, "the summary above the table shows it"
    card_document(questions).save(tmp_path / "card.md")
    lines = (tmp_path / "card.md").read_text("utf-8").splitlines()
    (outside,) = [line for line in lines if "| out_of_scope |" in line]
    assert outside.endswith("| none: no text says it |  |"), "it is about no document"
    assert any("| single |" in line and line.endswith(".md |") for line in lines)


def test_when_the_budget_is_spent_what_is_accepted_is_kept_and_another_start_goes_on(tmp_path):
    whole, script = make(tmp_path, 20)
    whole.save(tmp_path / "whole")
    limited = Script(script.reply, budget=script.calls // 2)
    part, _ = make(tmp_path, 20, script=limited)
    assert isinstance(part.stopped, BudgetReached)
    assert 0 < len(part) < 20
    text = " ".join(summary(part))
    assert "were accepted before it stopped" in text
    assert "passed all checks" not in text
    assert text.endswith("cost: 0 calls of models, $0")  # the script costs nothing
    part.save(tmp_path / "q")
    assert len(neraca.read_dataset(tmp_path / "q")) == len(part)
    limited.budget = None
    make(tmp_path, 20, script=limited)[0].save(tmp_path / "q")
    assert written(tmp_path / "q") == written(tmp_path / "whole")
    assert limited.calls == script.calls, "nothing was asked twice"
    assert not (tmp_path / "q/unfinished.json").exists()


def test_questions_that_may_have_been_changed_by_hand_are_not_replaced(tmp_path):
    script = Script(lambda prompt, repeat: reply_to(Writer(()))(prompt), budget=6)
    part, _ = make(tmp_path, 20, script=script)
    part.save(tmp_path / "q")
    changed = (tmp_path / "q/questions.jsonl").read_bytes() + b"\n"
    (tmp_path / "q/questions.jsonl").write_bytes(changed)
    with pytest.raises(InputError, match="the unfinished questions were changed since"):
        part.save(tmp_path / "q")
    make(tmp_path, 5)[0].save(tmp_path / "r")
    with pytest.raises(InputError, match="there are questions already"):
        part.save(tmp_path / "r")


def test_fewer_documents_than_questions_are_asked_about_again_until_nothing_new_comes(tmp_path):
    questions, _ = make(tmp_path, 40, world=branches(2), kinds="single")
    assert len(questions) == 12, "two branches have six facts each"
    assert len({item.query for item in questions.dataset}) == 12
    assert questions.asked == {"single": 40}
    assert questions.unwritten > 0


def test_a_dry_run_estimates_and_makes_no_questions(tmp_path):
    questions, script = make(tmp_path, 30, dry_run=True)
    assert (len(questions), script.calls) == (0, 0)


def test_a_useless_writer_is_an_error_that_says_why_and_a_useless_reader_refuses(tmp_path):
    nothing = {"quotes": [], "question": "", "answer": ""}
    with pytest.raises(InputError, match="no question was written: the model left out every question"):
        make(tmp_path, 3, script=Script(lambda prompt, repeat: {"q1": nothing}))
    with pytest.raises(InputError, match="no question was written: the reply does not fit"):
        make(tmp_path, 3, script=Script(lambda prompt, repeat: {"other": 1}))
    good = reply_to(Writer(()))

    def silent(prompt, repeat):
        return {} if prompt.kind.__name__ == "ReadingReply" else good(prompt)

    questions, _ = make(tmp_path, 3, script=Script(silent))
    assert len(questions) == 0
    assert questions.refused == []
    assert {check.outcome.status for question in questions.unchecked for check in question.failed} == {"unscored"}
    accepted = [verdict for verdict in questions.verdicts() if verdict.aspect == "accepted"]
    assert {verdict.status for verdict in accepted} == {"unscored"}
    text = " ".join(summary(questions))
    assert "refused 0;" in text
    assert f"{len(questions.checked)} questions could not be checked, as the second reader gave no usable reply" in text
    with pytest.raises(InputError, match=r"none of the \d+ written .*; \d+ could not be checked for answerable"):
        questions.save(tmp_path / "q")
    assert (tmp_path / "q/refused.jsonl").read_bytes()
    assert not (tmp_path / "q/questions.jsonl").exists()


@pytest.mark.parametrize(
    ("language", "writes", "reads"),
    [
        ("id", "Anda menulis pertanyaan", "Anda menjawab pertanyaan"),
        ("es", "Escribes preguntas", "Contestas preguntas"),
        ("ar", "مهمتك كتابة أسئلة", "مهمتك الإجابة عن أسئلة"),
        ("German", "You write questions", "You answer questions"),
    ],
)
def test_prompts_are_in_the_language_of_the_questions_where_there_are_some(tmp_path, language, writes, reads):
    _, script = make(tmp_path, 3, kinds="single", language=language)
    starts = {prompt.system.splitlines()[0] for prompt in script.prompts}
    assert any(start.startswith(writes) for start in starts)
    assert all(start.startswith((writes, reads)) for start in starts)
    (name,) = {data_of(prompt)["language"] for prompt in script.prompts if "write" in data_of(prompt)}
    assert name == {"id": "Indonesian", "es": "Spanish", "ar": "Arabic"}.get(language, language)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kinds": "constraint"}, "there is no kind 'constraint'"),
        ({"model": ""}, "neraca generate needs a model"),
        ({"language": "klingon"}, "klingon"),
        ({"settings": {"temprature": 1}}, "temprature"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path, settings, message):
    with pytest.raises(SpecError, match=message):
        make(tmp_path, 3, **settings)


def serve(writer, before=lambda call: None):
    def reply(call):
        before(call)
        data = json.loads(call.user.split(CODE.search(call.system)[1])[1])
        return writer(data) if "write" in data else read(data)

    return LlmServer(reply=reply)


#: A process that makes questions, and is killed.
PROCESS = """
import sys, neraca
from neraca.models.model_session import ModelSession
folder, out, cache, n, url = sys.argv[1:]
with ModelSession(__import__("pathlib").Path(cache), concurrency=1) as session:
    settings = {"url": url, "key": "k"}
    questions = neraca.generate_from_documents(
        folder, int(n), model="openai:w", language="en", session=session, settings=settings
    )
    questions.save(out)
"""


@pytest.mark.parametrize("kills", [2, pytest.param(30, marks=pytest.mark.soak)])
def test_killed_again_and_again_it_goes_on_and_pays_for_no_call_twice(tmp_path, kills):
    folder = write_folder(tmp_path / "docs", branches(30))
    cache, n = tmp_path / "c.sqlite", 10 if kills == 2 else 70
    running, left, paid = [], list(range(2, 2 + 2 * kills, 2)), []

    def kill(call):
        if left and call.number >= left[0]:
            left.pop(0)
            running[-1].kill()
            running[-1].wait()
            with closing(sqlite3.connect(cache)) as database:
                replies = [json.loads(row[0])["user"] for row in database.execute("SELECT request FROM calls")]
            paid.append((call.number, set(replies)))

    with serve(Writer(()), kill) as server:
        command = [sys.executable, "-c", PROCESS, *map(str, (folder, tmp_path / "q", cache, n, server.url))]
        while len(running) <= kills and not (tmp_path / "q/questions.jsonl").exists():
            running.append(subprocess.Popen(command, stderr=subprocess.PIPE))
            _, error = running[-1].communicate(timeout=60)
        assert len(running) == kills + 1, error
        for number, replies in paid:
            assert replies
            assert not [call for call in server.calls[number + 1 :] if call.user in replies]
    assert len(neraca.read_dataset(tmp_path / "q")) == n
    uninterrupted, _ = make(tmp_path / "again", n, world=branches(30), model="openai:w")
    uninterrupted.save(tmp_path / "again/q")
    assert written(tmp_path / "q") == written(tmp_path / "again/q")

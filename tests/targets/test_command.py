import asyncio
import sys
import time
from pathlib import Path

import msgspec
import pytest

from neraca.errors import SpecError, TargetError
from neraca.records import Hit, Item
from neraca.targets.command import CommandTarget


@pytest.fixture
async def program(tmp_path):
    """Writes a program and gives targets that run it; closes them."""
    made = []

    def write(code: str, **settings) -> CommandTarget:
        file = tmp_path / f"bot{len(made)}.py"
        file.write_text(code)
        made.append(CommandTarget({"kind": "command", "command": [sys.executable, str(file)], **settings}))
        return made[-1]

    yield write
    for target in made:
        await target.close()


def lines(body: str) -> str:
    """A program that answers line by line."""
    start = "import json, os, sys, time\nn = 0\nfor line in sys.stdin:\n    q = json.loads(line)\n    n += 1\n"
    return start + "".join(f"    {line}\n" for line in body.splitlines())


#: Seconds after which a program that was to end, or to answer, never will; none of those here that sleep ends before.
PATIENCE = 120


def gone(pid: int) -> bool:
    """Whether a process has ended (or is only waiting to be counted)."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


async def test_what_a_program_reads(program, talk):
    item = Item(id="q1", query="rumah?", session="s", extra={"n": 5}, tags={"k": "v"}, references=("secret",))
    started = time.perf_counter()
    answer = await program("import sys; sys.stdout.write('said: ' + sys.stdin.read())").ask(item, talk)
    elapsed = time.perf_counter() - started
    assert msgspec.json.decode(answer.text.removeprefix("said: ")) == {
        "query": "rumah?",
        "session": "c-7",
        "history": [{"query": "halo", "text": "Halo!"}, {"query": "2 kamar?", "text": "Ada."}],
        "messages": [
            {"role": "user", "content": "halo"},
            {"role": "assistant", "content": "Halo!"},
            {"role": "user", "content": "2 kamar?"},
            {"role": "assistant", "content": "Ada."},
            {"role": "user", "content": "rumah?"},
        ],
        "trial": 2,
        "item": {"id": "q1", "session": "s", "tags": {"k": "v"}, "extra": {"n": 5}},
    }
    assert (answer.item, answer.trial) == ("q1", 2)
    assert 0 < answer.seconds <= elapsed


@pytest.mark.parametrize(
    "written, text, hits",
    [
        ('{"text": "Ada.", "hits": ["a"]}', "Ada.", 1),
        ("  Ada tiga.\n\n", "Ada tiga.", 0),
        ("", "", 0),
        ("[1] adalah", "[1] adalah", 0),
        ("{bukan json}", "{bukan json}", 0),
    ],
)
async def test_what_a_program_writes(program, item, talk, written, text, hits):
    answer = await program(f"print({written!r}, end='')").ask(item, talk)
    assert (answer.text, len(answer.hits)) == (text, hits)


async def test_a_command_as_text_with_folder_and_environment(tmp_path, item, talk, monkeypatch):
    monkeypatch.setenv("NERACA_KEY", "open sesame")
    (tmp_path / "my bot.py").write_text("import os; print(os.getcwd(), os.environ['KEY'])")
    settings = {"command": f"{sys.executable} 'my bot.py'", "cwd": str(tmp_path), "env": {"KEY": "<${NERACA_KEY}>"}}
    assert (await CommandTarget(settings).ask(item, talk)).text == f"{tmp_path} <open sesame>"


async def test_a_program_below_the_folder_where_it_runs(tmp_path, item, talk):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bot").write_text(f"#!/bin/sh\nexec {sys.executable} -c 'import os; print(os.getcwd())'\n")
    (tmp_path / "bin" / "bot").chmod(0o755)
    assert (await CommandTarget({"command": "bin/bot", "cwd": str(tmp_path)}).ask(item, talk)).text == str(tmp_path)


@pytest.mark.parametrize(
    "code, told, again",
    [
        ("import sys; print('halfway'); sys.exit('no such index')", "ended with exit code 1: no such index", False),
        ("raise SystemExit(7)", "ended with exit code 7", False),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "was ended by SIGTERM", True),
        ("import os; os.kill(os.getpid(), 40)", "was ended by signal 40", True),
        ("import sys; sys.stderr.write('x' * 90_000 + 'the end'); sys.exit(1)", "xthe end", False),
        ('print(\'{"error": "broken"}\')', "the target replied with an error: broken", False),
    ],
)
async def test_programs_that_fail(program, item, talk, code, told, again):
    with pytest.raises(TargetError) as raised:
        await program(code).ask(item, talk)
    assert told in str(raised.value)
    assert len(str(raised.value)) < 1_300
    assert raised.value.again is again


@pytest.mark.parametrize("mode", ["once", "lines"])
async def test_secrets_are_never_told(program, item, talk, monkeypatch, mode):
    monkeypatch.setenv("NERACA_KEY", "open-sesame")
    env = {"KEY": "${NERACA_KEY}"}
    for code in (
        "import os, sys; sys.exit(os.environ['KEY'] + '.' * 995)",
        "import os, sys; sys.exit('x' + os.environ['KEY'])",
        "import os, json; print(json.dumps({'error': os.environ['KEY']}), flush=True)",
        "import os; print('.' * 995 + os.environ['KEY'], flush=True); raise SystemExit(1)",
    ):
        with pytest.raises(TargetError) as raised:
            await program(code, env=env, mode=mode).ask(item, talk)
        assert "same" not in str(raised.value)
        assert "open-" not in str(raised.value)


async def test_a_program_that_reads_nothing_of_a_long_question(program, talk):
    item = Item(id="1", query="x" * 3_000_000)
    assert (await program("print('done')").ask(item, talk)).text == "done"


async def test_a_program_that_writes_too_much(program, item, talk):
    for mode in ("once", "lines"):
        with pytest.raises(TargetError, match="wrote more than 20 MB"):
            await program("import sys\nwhile True: sys.stdout.write('x' * 100_000)", mode=mode).ask(item, talk)


async def test_what_a_program_wrote_before_its_first_question_is_no_second_line(program, item, talk):
    eager = program("import sys\nprint('\"a\"', flush=True)\nsys.stdin.read()", mode="lines")
    starting = eager._start

    async def start_slowly():
        process = await starting()
        while not process.output:
            await asyncio.sleep(0.01)
        return process

    eager._start = start_slowly
    assert (await eager.ask(item, talk)).text == "a"


async def test_a_grandchild_that_keeps_the_output_open_holds_nobody_up(program, item, talk):
    code = "import subprocess, sys; p = subprocess.Popen(['sleep', '600']); print(p.pid)"
    async with asyncio.timeout(PATIENCE):
        answer = await program(code).ask(item, talk)
    assert gone(int(answer.text))


@pytest.mark.parametrize("mode", ["once", "lines"])
async def test_a_time_limit_kills_the_whole_group(program, item, talk, tmp_path, mode):
    code = (
        "import os, subprocess, time\np = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(tmp_path / 'pids')!r}, 'w').write(f'{{os.getpid()}} {{p.pid}}')\ntime.sleep(600)"
    )
    target = program(code, mode=mode)
    task = asyncio.create_task(target.ask(item, talk))
    async with asyncio.timeout(PATIENCE):
        while not (tmp_path / "pids").exists() or len((tmp_path / "pids").read_text().split()) < 2:
            await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert all(gone(int(pid)) for pid in (tmp_path / "pids").read_text().split())


@pytest.mark.parametrize("mode", ["once", "lines"])
async def test_a_program_whose_start_is_cancelled_ends_with_its_children(program, item, talk, tmp_path, mode):
    code = (
        "import os, subprocess, time\np = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(tmp_path / 'new')!r}, 'w').write(f'{{os.getpid()}} {{p.pid}}')\n"
        f"os.rename({str(tmp_path / 'new')!r}, {str(tmp_path / 'pids')!r})\ntime.sleep(600)"
    )
    task = asyncio.create_task(program(code, mode=mode).ask(item, talk))
    for _ in range(3):
        await asyncio.sleep(0)
    while not (tmp_path / "pids").exists():  # the loop stands still, so it has not seen that the program runs
        time.sleep(0.02)
    task.cancel()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(asyncio.CancelledError):
            await task
    assert all(gone(int(pid)) for pid in (tmp_path / "pids").read_text().split())


async def test_one_process_answers_line_by_line(program, talk):
    body = "print(json.dumps({'text': f\"{n} {q['query']}\", 'hits': [str(os.getpid())]}), flush=True)"
    target = program(lines(body), mode="lines")
    answers = await asyncio.gather(*(target.ask(Item(id=str(n), query=f"q{n}"), talk) for n in range(20)))
    assert [answer.text for answer in answers] == [f"{n + 1} q{n}" for n in range(20)]
    pids = {answer.hits[0].text for answer in answers}
    assert len(pids) == 1
    await target.close()
    assert gone(int(pids.pop()))
    assert (await target.ask(Item(id="1", query="again"), talk)).text == "1 again"


async def test_a_line_may_be_a_json_string_and_come_in_parts(program, item, talk):
    body = "sys.stdout.write('\"Ada '); sys.stdout.flush(); time.sleep(0.05); print('tiga\"', flush=True)"
    assert (await program(lines(body), mode="lines").ask(item, talk)).text == "Ada tiga"


async def test_waiting_for_others_does_not_count(program, item, talk):
    """One process answers one after the other: together the answers take no longer than the whole of it."""
    target = program(lines("time.sleep(0.05)\nprint('\"a\"', flush=True)"), mode="lines")
    await target.ask(item, talk)
    started = time.perf_counter()
    answers = await asyncio.gather(*(target.ask(item, talk) for _ in range(4)))
    elapsed = time.perf_counter() - started
    assert all(answer.seconds >= 0.05 for answer in answers)
    assert sum(answer.seconds for answer in answers) <= elapsed


async def test_a_process_that_ends_is_started_again(program, item, talk):
    target = program(
        lines("if n == 2: sys.exit('out of memory')\nprint(n, file=sys.stderr)\nprint(f'\"{n}\"', flush=True)"),
        mode="lines",
    )
    assert (await target.ask(item, talk)).text == "1"
    with pytest.raises(TargetError, match="ended with exit code 1: 1\nout of memory"):
        await target.ask(item, talk)
    assert (await target.ask(item, talk)).text == "1"
    quits = program("import sys; sys.stdin.readline(); sys.stdout.write('half a line')", mode="lines")
    with pytest.raises(TargetError, match="ended without an answer") as raised:
        await quits.ask(item, talk)
    assert raised.value.again


async def test_a_process_that_ended_between_questions_is_started_again(program, item, talk):
    target = program(lines("print('\"once\"', flush=True)\nbreak"), mode="lines")
    for _ in range(3):
        assert (await target.ask(item, talk)).text == "once"
        async with asyncio.timeout(PATIENCE):
            while not target._process.ended:
                await asyncio.sleep(0.01)


async def test_out_of_step_is_noticed(program, talk):
    chatty = program(lines('print(\'"a"\\n"b"\', flush=True)'), mode="lines")
    item = Item(id="1", query="x")
    assert (await chatty.ask(item, talk)).text == "a"
    with pytest.raises(TargetError, match="wrote more than one line for a question"):
        await chatty.ask(item, talk)
    assert (await chatty.ask(item, talk)).text == "a"
    logging = program(lines("print('loading', flush=True)"), mode="lines")
    with pytest.raises(TargetError, match="is not JSON: 'loading'; write logs to standard error"):
        await logging.ask(item, talk)


async def test_after_a_time_limit_the_next_question_gets_its_own_answer(program, talk):
    body = "if q['query'] == 'slow': time.sleep(600)\nprint(json.dumps(q['query']), flush=True)"
    target = program(lines(body), mode="lines")
    assert (await target.ask(Item(id="1", query="warm"), talk)).text == "warm"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await target.ask(Item(id="1", query="slow"), talk)
    assert (await target.ask(Item(id="2", query="next"), talk)).text == "next"


async def test_giving_up_in_the_queue_leaves_the_process_alone(program, talk, tmp_path):
    free = tmp_path / "free"
    body = f"while not os.path.exists({str(free)!r}): time.sleep(0.01)\nprint(json.dumps(f'{{n}}'), flush=True)"
    target = program(lines(body), mode="lines")
    item = Item(id="1", query="x")
    first = asyncio.create_task(target.ask(item, talk))
    await asyncio.sleep(0)  # it has its turn, and the next one has to wait
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await target.ask(item, talk)
    free.touch()
    assert (await first).text == "1"
    assert (await target.ask(item, talk)).text == "2"


async def test_a_process_that_closes_its_output_but_lives_on(program, item, talk):
    code = "import os, sys, time\nsys.stdin.readline()\nos.close(1)\ntime.sleep(600)"
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(TargetError, match="ended without an answer"):
            await program(code, mode="lines").ask(item, talk)


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"command": "neraca-no-such-program x"}, "no program 'neraca-no-such-program'"),
        ({"command": ["./none.sh"]}, "no program './none.sh'"),
        ({"command": "python 'bot.py"}, "cannot read command"),
        ({"command": []}, "the command is empty"),
        ({"command": "  "}, "the command is empty"),
        ({"command": "sh", "cwd": "/neraca/none"}, "cwd '/neraca/none' is not a folder"),
        (
            {"command": "sh", "env": {"A": "${NERACA_NOT_SET}"}},
            "env: the environment variable NERACA_NOT_SET is not set",
        ),
    ],
)
def test_wrong_settings(settings, told):
    with pytest.raises(SpecError) as raised:
        CommandTarget({"name": "bot", **settings})
    assert told in str(raised.value)
    assert str(raised.value).startswith("target 'bot': ")


async def test_a_file_that_cannot_be_run(tmp_path, item, talk):
    file = tmp_path / "bot"
    file.write_text("not a program")
    file.chmod(0o644)
    with pytest.raises(TargetError, match=r"cannot start .*: Permission denied"):
        await CommandTarget({"command": [str(file)]}).ask(item, talk)
    assert CommandTarget({"command": "sh", "stateful": True}).stateful
    assert not CommandTarget({"command": "sh"}).stateful


async def test_many_processes_at_once(program, talk):
    target = program("import json, sys; print(json.loads(sys.stdin.read())['query'])")
    answers = await asyncio.gather(*(target.ask(Item(id=str(n), query=f"q{n}"), talk) for n in range(12)))
    assert [answer.text for answer in answers] == [f"q{n}" for n in range(12)]
    assert answers[0].hits == () != (Hit(id="x"),)

import tomllib

from neraca.cli import demo
from neraca.demo import __main__ as server
from neraca.files import is_portable_name


def test_each_model_gets_a_target_whose_name_can_be_a_folder_on_every_system():
    models = ["openai:gpt-4o-mini", "openrouter:meta-llama/llama-3.3:free"]
    (phase,) = tomllib.loads(demo._models(models))["phase"]
    assert phase["targets"] == {
        "openai gpt-4o-mini": {"body": {"llm": models[0]}},
        "openrouter meta-llama llama-3.3 free": {"body": {"llm": models[1]}},
    }
    assert all(map(is_portable_name, phase["targets"]))
    assert demo._models([]) == ""


def test_the_chatbot_is_kept_up_until_ctrl_c_and_that_is_no_error(cli, monkeypatch):
    called = []

    def until_stopped(arguments):
        called.append(arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(server, "main", until_stopped)
    told = cli("demo", "--serve", "--port", "8123")
    assert (told.code, told.err, called) == (0, "", [["--port", "8123"]])


def test_a_model_on_an_own_endpoint_is_asked_one_question_at_a_time(monkeypatch):
    """A server with one slot lets the others wait, until they are out of time."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert tomllib.loads(demo._asked(["openai:qwen"]))["asking"]["concurrency"] == 4
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")
    assert tomllib.loads(demo._asked(["openai:qwen"]))["asking"]["concurrency"] == 1
    assert tomllib.loads(demo._asked(["anthropic:claude"]))["asking"]["concurrency"] == 4
    assert tomllib.loads(demo._asked([]))["asking"]["concurrency"] == 4

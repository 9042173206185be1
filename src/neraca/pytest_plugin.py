"""The plugin of pytest: each question of a table is a test case, by `@pytest.mark.neraca` and `neraca_answer`.

pytest loads it by its entry point.  Nothing else of Neraca is imported until a test has the mark.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from neraca.datasets.dataset import Dataset
    from neraca.metrics.text.answer_check import CheckedAnswer
    from neraca.records import Answer, Item

MARK = "neraca"
#: The name of the property of a test report: how many checks its question has.
CHECKS = "neraca_checks"
USAGE = (
    "neraca(questions, target=None, columns=None, language='', options=None): run the test once for each question of "
    "a table, with the answer of the target as `neraca_answer`; the checks of the question must hold (must_contain …)"
)
HOW = '@pytest.mark.neraca("questions.csv", target=my_bot)'


@dataclass
class QuestionTable:
    """The questions of one mark, and the answers so far.

    Attributes
    ----------
    mark
        The mark, kept so that its identity stays its own.
    dataset
        The questions.
    settings
        Keywords of the mark: `target`, `options`.
    answers
        Other parameters of the test, and id of a question → its answer.
    """

    mark: pytest.Mark
    dataset: Dataset
    settings: Mapping[str, Any]
    answers: dict[tuple[Any, str], Answer] = field(default_factory=dict)


TABLES = pytest.StashKey[dict[int, QuestionTable]]()
ASKED = pytest.StashKey[tuple["Item", "Answer"]]()


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line("markers", USAGE)
    config.stash[TABLES] = {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test case of each question of the table that the mark of a test names."""
    mark = metafunc.definition.get_closest_marker(MARK)
    if mark is None:
        return
    if "neraca_item" not in metafunc.fixturenames:
        if mark in metafunc.definition.own_markers:
            _refuse(f"{metafunc.definition.name} has the mark neraca, but no parameter `neraca_answer`; add it")
        return
    tables = metafunc.config.stash[TABLES]
    if id(mark) not in tables:
        tables[id(mark)] = _read_table(mark, metafunc.definition.path.parent)
    items = tables[id(mark)].dataset.items
    metafunc.parametrize("neraca_item", items, ids=[item.id for item in items])


def _refuse(message: str) -> NoReturn:
    """Fail the collection of a file with a message and no traceback."""
    raise pytest.Collector.CollectError(message)


def _read_table(mark: pytest.Mark, folder: Path) -> QuestionTable:
    """Read the questions of a mark; the path of a file is looked for beside the test first."""
    from neraca.datasets.dataset import Dataset
    from neraca.datasets.read_dataset import read_dataset
    from neraca.errors import NeracaError

    settings = {"target": None, "columns": None, "language": "", "options": None, **mark.kwargs}
    if len(mark.args) != 1 or len(settings) > 4:
        _refuse(f"the mark neraca takes one table of questions and, by name, target, columns, language, options: {HOW}")
    (questions,) = mark.args
    if isinstance(questions, str | Path) and (folder / questions).exists():
        questions = folder / questions
    try:
        if not isinstance(questions, Dataset):
            questions = read_dataset(questions, columns=settings["columns"], language=settings["language"])
    except NeracaError as error:
        _refuse(str(error))
    return QuestionTable(mark, questions, settings)


@pytest.fixture
def neraca_item() -> Item:
    """The question of this test case, with its session, tags and all columns of its row."""
    pytest.fail(f"the fixtures of neraca need a table of questions: {HOW}", pytrace=False)


@pytest.fixture
def neraca_target() -> Any:
    """The system under test, if the mark names none: override this fixture to return it.

    It may be all that `neraca.ask` takes: a function, an address, a table of settings.
    """
    pytest.fail(f"which system answers? Name it in the mark, {HOW}, or write a fixture `neraca_target`", pytrace=False)


@pytest.fixture
def neraca_answer(request: pytest.FixtureRequest, neraca_item: Item) -> Answer:
    """The answer of the target to the question of this test case."""
    node = request.node
    table = request.config.stash[TABLES][id(node.get_closest_marker(MARK))]
    others = _other_parameters(node)
    if (others, neraca_item.id) not in table.answers:
        target = table.settings["target"]
        target = request.getfixturevalue("neraca_target") if target is None else target
        folder: Path = request.getfixturevalue("tmp_path_factory").mktemp(MARK) / "run"
        _ask(request, table, target, folder)
    answer = table.answers[others, neraca_item.id]
    node.stash[ASKED] = neraca_item, answer
    node.user_properties.append(("neraca_question", neraca_item.query))
    node.user_properties.append(("neraca_answer", answer.text))
    if answer.left_out:
        pytest.fail(f"{answer.left_out}: {answer.error}\n{_describe(neraca_item, answer)}", pytrace=False)
    return answer


def _other_parameters(node: Any) -> tuple[tuple[str, int], ...]:
    """Return the identities of a test's other parameters, which may choose another target."""
    parameters = node.callspec.params if hasattr(node, "callspec") else {}
    return tuple((name, id(value)) for name, value in sorted(parameters.items()) if name != "neraca_item")


def _ask(request: pytest.FixtureRequest, table: QuestionTable, target: Any, folder: Path) -> None:
    """Ask the conversations of all chosen questions at once; only this one's if tests are spread or may stop early."""
    from neraca.datasets.dataset import Dataset
    from neraca.runs.ask import ask

    config, others = request.config, _other_parameters(request.node)
    chosen = [request.node]
    if not hasattr(config, "workerinput") and not config.getoption("maxfail"):
        chosen += [node for node in request.session.items if node.get_closest_marker(MARK) is table.mark]
    ids = {
        node.callspec.params["neraca_item"].id
        for node in chosen
        if hasattr(node, "callspec") and "neraca_item" in node.callspec.params and _other_parameters(node) == others
    }
    sessions = [session for session in table.dataset.sessions() if any(item.id in ids for item in session)]
    questions = Dataset(tuple(item for session in sessions for item in session), table.dataset.source)
    run = ask(questions, target, folder, options=table.settings["options"])
    table.answers.update({(others, item): answer for (item, _), answer in run.answers().items()})


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Run the test, then the checks of its question; beside a failure of the test, show the question and answer."""
    if ASKED not in pyfuncitem.stash:
        return (yield)
    from neraca.metrics.text.answer_check import check, has_checks

    item, answer = pyfuncitem.stash[ASKED]
    checked = check(answer, item) if has_checks(item) else None
    pyfuncitem.user_properties.append((CHECKS, 0 if checked is None else len(checked.reasons)))
    if answer.failed:
        why = f"the target did not answer: {answer.status}"
        pytest.fail(f"{why}: {answer.error or ''}\n{_describe(item, answer)}", pytrace=False)
    try:
        result = yield
    except BaseException:
        pyfuncitem.add_report_section("call", MARK, _describe(item, answer, checked))
        raise
    if checked is not None and not checked:
        pytest.fail(f"{'; '.join(checked.failed)}\n{_describe(item, answer, checked)}", pytrace=False)
    return result


def _describe(item: Item, answer: Answer, checked: CheckedAnswer | None = None) -> str:
    """Describe a question, its answer and its checks, each on lines of its own."""
    took = f", {answer.seconds:.1f} s" if answer.seconds is not None else ""
    lines = [
        f"question  {item.id}: {item.query}",
        f"answer    {answer.text or '(no text)'}",
        f"          {len(answer.text.split())} words, {len(answer.hits)} hits{took}",
    ]
    if checked is not None:
        lines += [f"failed    {reason}" for reason in checked.failed]
        lines += [f"met       {', '.join(checked.met)}"] if checked.met else []
    return "\n".join(lines)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many questions had no check, because nothing but the test's own lines decided on them."""
    counted: Callable[[str], list[Any]] = terminalreporter.getreports
    checks = [
        dict(report.user_properties)[CHECKS]
        for outcome in ("passed", "failed")
        for report in counted(outcome)
        if CHECKS in dict(getattr(report, "user_properties", ())) and report.when == "call"
    ]
    if none := checks.count(0):
        terminalreporter.write_line(
            f"neraca: {none} of {len(checks)} questions have no check in their columns; only the test itself decided"
        )

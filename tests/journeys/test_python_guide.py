"""The blocks of docs/python.md run one after the other, and show what stands there, inside a running event loop."""

import ast
import asyncio
import re
from pathlib import Path

import pytest

GUIDE = (Path(__file__).parents[2] / "docs/python.md").read_text(encoding="utf-8")
#: Block of code, and what is shown below it, if anything.
BLOCKS = re.findall(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", GUIDE, re.DOTALL)


def cell(code, known):
    """Run a cell as a notebook does; return what it shows."""
    *first, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        first.append(last)
    exec(compile(ast.Module(first, []), "cell", "exec"), known)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), known) if isinstance(last, ast.Expr) else None


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """What each block shows, and the names that are known at the end."""
    shown, known = [], {}

    async def run():  # a notebook has a running event loop
        for code, _ in BLOCKS:
            shown.append(cell(code, known))

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("notebook"))
        asyncio.run(run())
        known["report"] = Path("report.html").read_text(encoding="utf-8")
    return shown, known


def test_each_block_shows_what_stands_below_it(notebook):
    shown, _ = notebook
    stands = [(below.rstrip("\n"), str(result)) for (_, below), result in zip(BLOCKS, shown, strict=True) if below]
    assert len(stands) == 3
    for below, result in stands:
        assert result.startswith(below)


def test_what_the_blocks_leave_behind(notebook):
    _, known = notebook
    assert known["best"] == "by_words"
    # "red hat" finds the red hat third: s1 and s2 are red things, too; the other three questions find theirs first
    assert known["scores"]["RR"]["by_first_word"] == pytest.approx((1 + 1 / 3 + 1 + 1) / 4)
    assert known["each"].columns == ["item", "category", "by_words", "by_first_word"]
    assert "by_first_word" in known["report"]

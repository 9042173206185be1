import openpyxl
import pytest

from neraca.datasets.table_reader import read_table
from neraca.errors import InputError


@pytest.fixture
def file(tmp_path):
    """A file of some name with some content."""

    def make(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@pytest.fixture
def refused():
    """That a table is refused with its name and these words."""

    def check(path, words, **options):
        with pytest.raises(InputError) as told:
            read_table(path, **options)
        assert words in str(told.value)
        assert str(path) in str(told.value)

    return check


@pytest.fixture
def sheet():
    """A workbook as another program would write it."""

    def make(path, *rows, title="Sheet"):
        book = openpyxl.Workbook()
        book.active.title = title
        for row in rows:
            book.active.append(row)
        book.save(path)
        return path

    return make


@pytest.fixture
def csv(tmp_path):
    def make(text, name="questions.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return make

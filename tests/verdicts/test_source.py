import pytest

from neraca.verdicts.source import matches


@pytest.mark.parametrize(
    "by, wanted, heard",
    [
        ("human:Ana", "", True),
        ("human:Ana", "human", True),
        ("human:Ana", "human:Ana", True),
        ("human:Ana", "human:Ben", False),
        ("human:Anabel", "human:Ana", False),
        ("rules", "llm", False),
        ("llm:m#1a2b3c", "llm", True),
        ("llm:m#1a2b3c", "llm:m", True),
        ("llm:m#1a2b3c", "llm:m#1a2b3c", True),
        ("llm:m#1a2b3c", "llm:m#ffffff", False),
        ("llm:mini#1a2b3c", "llm:m", False),
        ("llm:m", "llm:m#1a2b3c", False),
    ],
)
def test_who_is_heard(by, wanted, heard):
    assert matches(by, wanted) is heard

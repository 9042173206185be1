"""Where sentences end, and where a point ends none."""

import pytest

from neraca.sentences import sentences


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", []),
        (" \n\t\n", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Line one\nline two\r\n\nline three", ["Line one", "line two", "line three"]),
        ("It is 3.5 m. See example.org or v1.2.", ["It is 3.5 m.", "See example.org or v1.2."]),
        ("Dr. Ali and J. K. Rowling met. They left.", ["Dr. Ali and J. K. Rowling met.", "They left."]),
        ("Rumah di Jl. Sudirman No. 5. Harga Rp. 500.", ["Rumah di Jl. Sudirman No. 5.", "Harga Rp. 500."]),
        ("He said no. Then he left.", ["He said no.", "Then he left."]),
        ("Fruit, e.g. Apples, etc. are good.", ["Fruit, e.g. Apples, etc. are good."]),
        ('She asked: "Why?" Nobody knew...  It rained.', ['She asked: "Why?"', "Nobody knew...", "It rained."]),
        ("- first\n* second\n3. third\n12) fourth\na) fifth", ["first", "second", "third", "fourth", "fifth"]),
        ("## Title\n**Bold.** Text", ["Title", "**Bold.**", "Text"]),
        ("ما هذا؟ هذا بيت. نعم", ["ما هذا؟", "هذا بيت.", "نعم"]),
        ("東京です。「はい。」大阪！", ["東京です。", "「はい。」", "大阪！"]),
        ("यह घर है। वह नहीं।", ["यह घर है।", "वह नहीं।"]),
    ],
)
def test_sentences(text, expected):
    assert sentences(text) == expected

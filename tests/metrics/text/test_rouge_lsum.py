import pytest
from builders import make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.text.rouge_lsum import count_union, cut
from neraca.records import Answer


def scored(name, *cases):
    items = [make_item(str(row), references=references) for row, (_, *references) in enumerate(cases)]
    answers = [Answer(item=item.id, text=text) for item, (text, *_) in zip(items, cases, strict=True)]
    return score_metric(Metric.of(name), make_scorable(list(zip(items, answers, strict=True)))).rows[:, 0].tolist()


def test_the_example_of_the_paper():
    # Lin (2004), section 3.2: the union has 4 of the 5 words of the reference; the response has 10 words
    case = ("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5")
    assert scored("ROUGE-Lsum(stat=r)", case) == pytest.approx([4 / 5])
    assert scored("ROUGE-Lsum(stat=p)", case) == pytest.approx([4 / 10])
    assert scored("ROUGE-Lsum", case) == pytest.approx([8 / 15])


def test_the_order_of_sentences_does_not_matter():
    case = ("it has a pool\nthe flat is new", "the flat is new\nit has a pool")
    assert scored("ROUGE-Lsum", case) == [1]
    assert scored("ROUGE-L", case) == [0.5]


def test_each_pair_of_a_batch_by_its_own_sentences():
    """Pairs of one line and of several side by side, one of them twice."""
    several = ("a b\nc d", "c d\na b")
    assert scored("ROUGE-Lsum", ("a b c", "a c"), several, ("a x", "y\nb\na", "a x"), several) == pytest.approx(
        [4 / 5, 1, 1, 1]
    )


def test_lines_without_words_are_none():
    assert scored("ROUGE-Lsum", ("\n \na b\n\n", "a b"), ("\n\n", "a"), ("a\nb", "-\n-")) == pytest.approx(
        [1, 0, float("nan")], nan_ok=True
    )


@pytest.mark.parametrize(
    "ours, theirs, shared",
    [
        (["a"], ["a", "a"], 1),  # the union has a twice, the response once
        (["a", "a"], ["a"], 1),
        (["ab", "ba"], ["ab"], 2),
        (["ba"], ["ab", "ab"], 1),  # of a and b each sentence takes a: from the end
        ([], ["a"], 0),
        (["a"], [], 0),
    ],
)
def test_a_word_counts_as_often_as_in_the_response(ours, theirs, shared):
    assert count_union(ours, theirs)[0] == shared


@pytest.mark.parametrize(
    "text, sentences",
    [
        ("a b. c d! e?\tf", ["a b.", "c d!", "e?", "f"]),
        ("a b.c 3.5 d.", ["a b.c 3.5 d."]),
        ("a...  b… c", ["a...", "b…", "c"]),
        ("Dr. Ali", ["Dr.", "Ali"]),
        ("本。水！火", ["本。", "水！", "火"]),
        ("هل؟ نعم۔ لا", ["هل؟", "نعم۔", "لا"]),
        ("क ख। ग घ॥ च", ["क ख।", "ग घ॥", "च"]),
        ("a b\n\nc. d", ["a b", "c.", "d"]),
        ("", []),
        (" \n\x1c", []),
    ],
)
def test_sentences_by_punctuation(text, sentences):
    assert cut(text, "punctuation") == sentences
    assert cut("\n".join(sentences), "lines") == sentences


def test_sentences_by_punctuation_stand_in_any_order():
    case = ("New! It has a pool.", "It has a pool. New!")
    assert scored("ROUGE-Lsum(sentences=punctuation)", case) == [1]
    assert scored("ROUGE-Lsum", case) == pytest.approx([0.8], rel=1e-12)


def test_a_hyphen_at_the_end_of_a_line():
    """13a joins the two parts of a word over a line's end; sentences are read each by itself, so the two stay."""
    assert scored("ROUGE-Lsum(tokens=13a)", ("a-\nb", "a-\nb")) == [1]


def test_the_language_of_the_texts_counts():
    assert scored("ROUGE-Lsum(tokens=word+stem,language=es)", ("las casas\nrojas", "roja\nlas casa")) == [1]


@pytest.mark.parametrize(
    "name, message",
    [
        ("ROUGE-Lsum(sentences=paragraphs)", "sentences is lines or punctuation, not 'paragraphs'"),
        ("ROUGE-Lsum(tokens=pltrdy)", r"ROUGE-L\(tokens=pltrdy\) goes by sentences"),
        ("ROUGE-Lsum(tokens=gogle)", "no such way"),
    ],
)
def test_what_there_is_not_is_refused(name, message):
    with pytest.raises(SpecError, match=message):
        Metric.of(name).pair("a", "a")

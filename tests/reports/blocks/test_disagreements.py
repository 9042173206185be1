"""Answers on which metrics of texts disagree: found by their places, with what the pattern may mean."""

import pytest
from drawn import to_html, to_markdown

from neraca.comparisons.compare import compare
from neraca.records import Answer, Item
from neraca.reports.blocks.disagreements import AnswerText, _meaning, disagreements
from neraca.reports.report import report
from neraca.scores.score import score
from neraca.scores.sources.paths import score_paths
from neraca.scores.text import text

REFERENCE = "the red house near the old river has four bright rooms"


@pytest.fixture
def answered(folder):
    """A run of twelve questions: the third answer is turned round, the fifth says more, the others are cut short."""

    def make(metrics, size=12, name="new"):
        words = REFERENCE.split()
        texts = [" ".join(words[: 3 + n % 6]) for n in range(size)]
        texts[2] = " ".join(reversed(words))
        texts[4] = f"{REFERENCE} and {'it is dear and far from here and nobody wants it ' * 3}"
        items = [Item(id=f"q{n + 1}", query="?", references=(REFERENCE,)) for n in range(size)]
        return score(
            [folder(name, items, [Answer(item=i.id, text=t) for i, t in zip(items, texts, strict=True)])], metrics
        )

    return make


def test_what_disagrees_most_comes_first_with_what_it_may_mean(answered):
    """Turned round it has every word of the reference and a longest common sequence of one word."""
    first, second, *_ = disagreements(answered("TokenRecall TokenPrecision ROUGE-L"))
    assert (first.question, first.high, first.low) == ("q3", "TokenRecall", "ROUGE-L")
    assert first.means == "the same words, in another order"
    assert first.high_value == 1
    assert first.above_high == pytest.approx(10.5 / 11)  # above ten of eleven others, level with one
    assert first.above_low == 0
    assert (second.question, second.means) == ("q5", "says what is expected, and more besides")


def test_they_stand_in_both_formats_with_a_link_to_the_question(answered):
    made = report(answered("TokenRecall ROUGE-L"))
    assert '<a href="#q-3" dir="auto">q3</a>' in to_html(made)
    text = to_markdown(made)
    assert "## Where metrics of texts disagree" in text
    assert "| q3 | new | TokenRecall 1.000, above 95 % | ROUGE-L " in text


def test_metrics_that_look_at_the_same_have_no_such_section(answered, search_runs):
    assert disagreements(answered("ROUGE-2 ROUGE-L")) is None
    assert disagreements(answered("TokenRecall ROUGE-L", size=9, name="few")) is None
    scores = score(search_runs(12), "nDCG@10 P@5")
    assert "metrics of texts disagree" not in to_markdown(report(scores, compare(scores)))


def test_where_all_agree_the_section_says_so(folder):
    items = [Item(id=f"q{n}", query="?", references=(REFERENCE,)) for n in range(12)]
    answers = [Answer(item=f"q{n}", text=" ".join(REFERENCE.split()[: n % 11])) for n in range(12)]
    made = report(score([folder("same", items, answers)], "TokenF1 ROUGE-L"))
    assert made.disagreements == ()
    assert "- Where metrics of texts disagree: No answer stands high by one metric" in to_markdown(made)


def texts_with(response, reference=REFERENCE, size=12):
    """Twelve rows that are cut short, of which one holds this response."""
    words = REFERENCE.split()
    responses = [" ".join(words[: 3 + n % 6]) for n in range(size)]
    responses[7] = response
    return [reference if n == 7 else REFERENCE for n in range(size)], responses


def row_eight(scores):
    return next(one for one in disagreements(scores) if one.number == 8)


@pytest.mark.parametrize(
    "reference, response, means",
    [
        (REFERENCE, REFERENCE.upper(), "the same words; what differs: capitals"),
        ("four rooms", "four rooms.", "the same words; what differs: punctuation"),
        (REFERENCE, " ".join(reversed(REFERENCE.split())), "the same words, in another order"),
    ],
)
def test_what_is_said_of_a_row_holds_of_its_texts(reference, response, means, tmp_path):
    """ROUGE-L between white space and BLEU keep what TokenRecall takes away: a low value need not mean an order."""
    references, responses = texts_with(response, reference)
    metrics = "TokenRecall ROUGE-L(tokens=split) BLEU(tokens=13a)"
    assert row_eight(text(references, responses, metrics)).means == means
    table = tmp_path / "answers.csv"
    lines = [f"{one},{other}" for one, other in zip(references, responses, strict=True)]
    table.write_text("\n".join(["reference,response", *lines]), encoding="utf-8")
    assert row_eight(score_paths([table], metrics)).means == means


@pytest.mark.parametrize(
    "response, means",
    [
        (f"{REFERENCE.replace('red', 'blue')} and so on", "shares words with what is expected, with others among them"),
        (
            " ".join(reversed(REFERENCE.replace("red", "blue").split())),
            "shares words with what is expected, in another order and with others among them",
        ),
        (REFERENCE.replace("four", "fours"), "other forms or spellings of the right words"),
        ("Die Bank hat um neun Uhr geschlossen", "shares no word with what is expected"),
    ],
)
def test_other_words_are_said_to_be_other_words(response, means):
    assert _meaning([AnswerText(response, (REFERENCE,), "")], "words", "order") == means
    by_meaning = _meaning([AnswerText(response, (REFERENCE,), "")], "meaning", "words")
    assert by_meaning == "may say the same in other words"


def test_shared_words_with_another_meaning_and_texts_that_are_not_there():
    changed = AnswerText(REFERENCE.replace("red", "blue"), (REFERENCE,), "")
    same_words = "shares words and may say something else: look for a negation, a name or a number"
    assert _meaning([changed], "words", "meaning") == same_words
    trials = [changed, AnswerText(REFERENCE.upper(), (REFERENCE,), "")]
    assert _meaning(trials, "words", "meaning") == "what differs is another thing in each trial"
    assert _meaning([], "words", "meaning") == "the texts are not at hand"

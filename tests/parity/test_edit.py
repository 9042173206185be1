"""TER beside sacreBLEU, edit distances beside rapidfuzz: random pairs, and pairs that are meant to break something."""

import math
import random

import numpy as np
import pytest
import sacrebleu
from builders import make_scorable
from rapidfuzz.distance import DamerauLevenshtein, JaroWinkler, Levenshtein
from sacrebleu.metrics.lib_ter import BeamEditDistance, trace_to_alignment, translation_edit_rate
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.text.ter import tercom
from neraca.metrics.text.ter_beam import Beam
from neraca.metrics.text.ter_shifts import edits, shifted
from neraca.records import Answer, Item

OPTIONS = [
    {},
    {"normalized": True},
    {"no_punct": True},
    {"case": True},
    {"normalized": True, "asian": True},
    {"normalized": True, "no_punct": True, "asian": True, "case": True},
    {"no_punct": True, "asian": True},
]
#: Ours → theirs.
NAMES = {"normalized": "normalized", "no_punct": "no_punct", "asian": "asian_support", "case": "case_sensitive"}
TEXTS = (
    "",
    " ",
    ".",
    "...!?",
    "a",
    "a a a a a a a",
    "a b a b a b",
    "b a b a b a",
    "The cat sat on the mat.",
    "on the mat, The CAT sat",
    "It's Ana's 3,5 m. house's",
    "&quot;x&quot; &amp;lt; y &gt; z 5-6 well-\nknown\n-end",
    "\nx\ty\u00a0z\x1cq\u2028r\n",
    "😀 👨‍👩‍👧‍👦 😀 e\u0301 é",
    "السَّلَامُ عَلَيْكُمْ",
    "عليكم السلام",
    "שָׁלוֹם לָכֶם",
    "東京は、日本の首都です。（東京）",
    "日本の首都は東京です！",
    "ひらがな カタカナ ㈱ ㍿ ｆｕｌｌ",
    "สวัสดี ชาวโลก",
    "नमस्ते दुनिया",
    "İstanbul Straße ﬁle ΣΑΣ",
    "Straße İstanbul file",
)


def ours(name, *answers):
    """The metric over answers of a response and its references."""
    pairs = [
        (Item(id=str(number), query="?", references=tuple(references)), Answer(item=str(number), text=response))
        for number, (response, references) in enumerate(answers)
    ]
    metric = Metric.of(name)
    rows = score_metric(metric, make_scorable(pairs)).rows
    return [float(metric.total(row)) for row in rows], float(metric.total(rows.sum(axis=0)))


def theirs(options):
    return sacrebleu.TER(**{NAMES[name]: value for name, value in options.items()})


def named(name, options):
    return f"{name}({','.join(f'{key}=true' for key in options)})" if options else name


def shuffled(random, words, most=90):
    """Two texts of words of which one is often the other in another order."""
    reference = [random.choice(words) for _ in range(random.randint(1, random.choice((8, most))))]
    first, second = sorted(random.randint(0, len(reference)) for _ in range(2))
    response = random.choice(
        (
            reference[second:] + reference[first:second] + reference[:first],
            reference[first:] + reference[second:],
            [random.choice(words) for _ in range(random.randint(0, random.choice((8, most))))],
        )
    )
    for _ in range(random.randint(0, 5) if response else 0):
        response[random.randrange(len(response))] = random.choice(words)
    return response, reference


def letters(random):
    return [chr(97 + number) for number in range(random.choice((2, 4, 15, 60)))]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_words_are_read_as_by_sacrebleu(options):
    read = TercomTokenizer(**{NAMES[name]: value for name, value in options.items()})
    whole = dict.fromkeys(NAMES, False) | options
    for text in (*TEXTS, "".join(TEXTS), *map("".join, zip(TEXTS, reversed(TEXTS), strict=True))):
        assert tercom(text, **whole) == read(text.rstrip()).split(), text


def test_each_letter_is_read_as_by_sacrebleu():
    """Between two letters, two digits and alone: every sign of the ranges that its tokeniser names."""
    options = {"normalized": True, "no_punct": True, "asian": True, "case": False}
    read = TercomTokenizer(normalized=True, no_punct=True, asian_support=True)
    for code in (*range(0x250), *range(0x2E70, 0x3440), *range(0x3DB0, 0x3F40), *range(0x4DB0, 0x4E10)):
        text = f"x{chr(code)}y 1{chr(code)}2 {chr(code)} z"
        assert tercom(text, **options) == read(text).split(), hex(code)
    for code in (*range(0x9FF0, 0xA010), *range(0xF8F0, 0xFB10), *range(0xFE20, 0xFE60), *range(0xFF00, 0xFFF0)):
        text = f"x{chr(code)}y 1{chr(code)}2 {chr(code)} z"
        assert tercom(text, **options) == read(text).split(), hex(code)


@pytest.mark.parametrize("seed", range(4))
def test_the_table_near_the_diagonal_is_sacrebleus(seed):
    """The distance, the partner of each word, and which words are wrong; also where one text is 50 times as long."""
    chance = random.Random(seed)
    for _ in range(150):
        words = letters(chance)
        response, reference = shuffled(chance, words)
        if chance.random() < 0.3:
            response = [chance.choice(words) for _ in range(chance.choice((1, 2, 3, 200, 300)))]
        if chance.random() < 0.3:
            reference = [chance.choice(words) for _ in range(chance.choice((1, 2, 24, 25, 26, 150, 200)))]
        distance, trace = BeamEditDistance(reference)(response)
        partner, theirs, mine = trace_to_alignment(trace.translate(str.maketrans("id", "di")))
        beam = Beam("".join(reference), len(response))
        rows = beam.rows("".join(response))
        found = beam.align("".join(response), rows)
        assert rows[-1].end == distance
        assert list(found.partner) == [partner[place] for place in range(len(reference))]
        assert np.diff(found.ours).tolist() == mine
        assert np.diff(found.theirs).tolist() == theirs
        if beam.exact(Levenshtein.distance(response, reference)):
            assert distance == Levenshtein.distance(response, reference)


def test_rows_can_be_taken_from_a_text_that_begins_alike():
    beam = Beam("abcde" * 20, 80)
    one, other = "abdce" * 16, "abdce" * 9 + "edabc" * 7
    assert beam.rows(other, beam.rows(one)[:46]) == beam.rows(other)


@pytest.mark.parametrize("seed", range(6))
def test_edits_are_sacrebleus(seed):
    chance = random.Random(100 + seed)
    for _ in range(70):
        response, reference = shuffled(chance, letters(chance), most=35)
        assert edits(response, reference) == translation_edit_rate(response, reference)[0], (response, reference)


def test_edits_of_longer_texts_are_sacrebleus():
    """The edit distance is above what the band is sure to hold; a block moves farther than 50 words."""
    chance = random.Random(7)
    for size, words in ((70, 200), (120, 300), (150, 500)):
        reference = [str(chance.randrange(words)) for _ in range(size)]
        for cut in (20, 55, 65):
            response = reference[cut:] + reference[:cut]
            for place in chance.sample(range(size), 10):
                response[place] = "?"
            assert edits(response, reference) == translation_edit_rate(response, reference)[0]
        response = [str(chance.randrange(words)) for _ in range(size - 30)]
        assert edits(response, reference) == translation_edit_rate(response, reference)[0]


def test_the_search_ends_after_the_same_number_of_candidates():
    """Few different words have more candidates than are tried, also after a shift was made."""
    chance = random.Random(3)
    for size in (12, 16, 20, 24, 28, 32):
        for _ in range(4):
            response = [chance.choice("ab") for _ in range(size)]
            reference = [chance.choice("ab") for _ in range(size)]
            assert edits(response, reference) == translation_edit_rate(response, reference)[0]


def test_a_long_text_has_sacrebleus_edits():
    """5,000 words: shifts are found all over the text, and the search ends at their number."""
    words = [str(number % 2500) for number in range(5000)]
    swapped = list(words)
    for place in range(100, 5000, 700):
        swapped[place : place + 4] = swapped[place + 2 : place + 4] + swapped[place : place + 2]
    distance, _ = BeamEditDistance(words)(swapped)  # its search of shifts would take minutes
    assert distance == 28
    assert edits(swapped, words) == 7
    assert edits(words + ["x"] * 3, words) == 3


def test_a_shift_moves_as_in_sacrebleu():
    from sacrebleu.metrics.lib_ter import _perform_shift

    for start in range(6):
        for size in range(1, 7 - start):
            for goal in range(7):
                assert list(shifted("abcdef", size, start, goal)) == _perform_shift(list("abcdef"), start, size, goal)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_ter_is_sacrebleus(options):
    given = [(one, [other]) for one in TEXTS for other in TEXTS if other.strip()]
    values, _ = ours(named("TER", options), *given)
    judge = theirs(options)
    expected = [judge.sentence_score(one, references).score / 100 for one, references in given]
    np.testing.assert_allclose(values, expected, atol=1e-12)
    assert ours(named("CorpusTER", options), *given)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_corpus_ter_is_sacrebleus(options):
    chance = random.Random(5)
    given = [(chance.choice(TEXTS), [chance.choice(TEXTS[2:]) for _ in range(3)]) for _ in range(60)]
    references = [list(each) for each in zip(*(found for _, found in given), strict=True)]
    judge = theirs(options)
    expected = judge.corpus_score([response for response, _ in given], references).score / 100
    assert ours(named("CorpusTER", options), *given)[1] == pytest.approx(expected, abs=1e-12)
    values, mean = ours(named("TER", options), *given)
    alone = [judge.sentence_score(*each).score / 100 for each in given]
    np.testing.assert_allclose(values, alone, atol=1e-12)
    assert mean == pytest.approx(sum(alone) / len(alone))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_single_pair_has_sacrebleus_ter_also_without_words(options):
    judge = theirs(options)
    for one in TEXTS:
        for other in ("", " ", "...", "x y"):
            expected = judge.sentence_score(one, [other]).score / 100
            assert Metric.of(named("TER", options)).pair(other, one) == pytest.approx(expected, abs=1e-12)
            assert Metric.of(named("CorpusTER", options)).pair(other, one) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "name, judge",
    [("Levenshtein", Levenshtein), ("DamerauLevenshtein", DamerauLevenshtein), ("JaroWinkler", JaroWinkler)],
)
def test_raw_strings_have_rapidfuzzs_similarity(name, judge):
    metric = Metric.of(f"{name}(tokens=raw)")
    for one in TEXTS:
        for other in TEXTS:
            assert metric.pair(other, one) == judge.normalized_similarity(one, other)


def test_error_rates_are_the_distance_by_the_length():
    """WER of what stands between white space, CER of the texts as they are: the edit distance of rapidfuzz."""
    given = [(one, [other]) for one in TEXTS for other in TEXTS if other.strip()]
    words = [(Levenshtein.distance(one.split(), other.split()), len(other.split())) for one, (other,) in given]
    signs = [(Levenshtein.distance(one, other), len(other)) for one, (other,) in given]
    for name, counts in (("WER(tokens=split)", words), ("CER(tokens=raw)", signs)):
        values, total = ours(name, *given)
        np.testing.assert_allclose(values, [edited / length for edited, length in counts], rtol=1e-12)
        assert total == pytest.approx(sum(edited for edited, _ in counts) / sum(length for _, length in counts))
    assert not any(math.isnan(value) for value in values)

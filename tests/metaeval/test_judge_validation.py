"""A judge beside labels: numbers by hand and of scikit-learn, no figures of small groups, what is left out counted."""

import json
import math
from datetime import UTC, datetime
from importlib.metadata import version

import pytest
from scipy.stats import norm
from sklearn.metrics import brier_score_loss, cohen_kappa_score, recall_score, roc_auc_score

import neraca
from neraca.errors import InputError, SpecError
from neraca.metaeval.judge_panel import JUDGE_OF_KIND, KIND_OF_JUDGE
from neraca.metaeval.labelled import read_labelled
from neraca.models.model_session import ModelSession
from neraca.records import Verdict
from neraca.reports.formats.markdown import to_markdown
from neraca.reports.judge_validation import validation_document


class Oracle:
    """A judge that says what stands in the response: `right 0.8 …`; `?` is undecided."""

    by = "llm:oracle#123456"

    def __init__(self, about="answer", aspect="good"):
        self.about, self.aspect = about, aspect

    def judge(self, pairs, session):
        for item, answer in pairs:
            word = answer.text.split()[0]
            value = None if word == "?" else float(word)
            yield Verdict(
                item=item.id, about=self.about, aspect=self.aspect, by=self.by, value=value, why=f"said {word}"
            )


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def example(response, label, **more):
    return {"question": "Is it good?", "response": str(response), "label": label, **more}


@pytest.fixture
def mixed(tmp_path):
    """35 right and 35 wrong examples in English, of which 30 and 28 get the right verdict; ten more in Spanish."""
    rows = [example(1, 1, language="en")] * 30 + [example(0, 1, language="en")] * 5
    rows += [example(0, 0, language="en")] * 28 + [example(1, 0, language="en")] * 7
    rows += [example(1, 1, language="es")] * 6 + [example(0, 0, language="es")] * 4
    return write(tmp_path / "labelled.jsonl", rows)


def test_shares_are_those_of_the_counts(mixed):
    result = neraca.validate_judge(mixed, Oracle())
    group = result.all
    figures = group.estimates()
    assert (group.n, group.undecided, group.right, group.wrong) == (80, 0, 41, 39)
    assert figures["agree"].value == pytest.approx(68 / 80)
    assert figures["sensitivity"].value == pytest.approx(36 / 41)
    assert figures["specificity"].value == pytest.approx(32 / 39)
    assert figures["bias"].value == pytest.approx((43 - 41) / 80)
    assert figures["auroc"].value == pytest.approx((36 / 41 + 32 / 39) / 2)  # of yes and no: their mean
    z, share = norm.ppf(0.975), 36 / 41
    wilson = (share + z**2 / 82 - z * math.sqrt(share * (1 - share) / 41 + z**2 / 4 / 41**2)) / (1 + z**2 / 41)
    assert figures["sensitivity"].low == pytest.approx(wilson)


def test_graded_scores_are_measured_as_scikit_learn_does(tmp_path):
    scores = [0.05, 0.15, 0.25, 0.35, 0.55, 0.65, 0.72, 0.81, 0.94, 0.44, 0.58, 0.29]
    labels = [0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0]
    rows = [example(score, label) for score, label in zip(scores, labels, strict=True)]
    result = neraca.validate_judge(write(tmp_path / "a.jsonl", rows), Oracle())
    figures = result.all.estimates()
    decided = [score >= 0.5 for score in scores]
    assert figures["auroc"].value == pytest.approx(roc_auc_score(labels, scores))
    assert figures["brier"].value == pytest.approx(brier_score_loss(labels, scores))
    assert figures["sensitivity"].value == pytest.approx(recall_score(labels, decided))
    assert figures["specificity"].value == pytest.approx(recall_score(labels, decided, pos_label=0))
    assert sum(part.right.n for part in result.bins) == 12


def test_a_group_with_fewer_than_thirty_of_a_class_has_no_figures(mixed):
    groups = {group.group: group for group in neraca.validate_judge(mixed, Oracle()).groups}
    assert groups["language=en"].estimates()["agree"].value == pytest.approx(58 / 70)
    spanish = groups["language=es"]
    assert (spanish.n, spanish.right, spanish.wrong, spanish.estimates()) == (10, 6, 4, {})
    rows = [row for row in neraca.validate_judge(mixed, Oracle()).rows() if row["group"] == "language=es"]
    assert "agree" not in rows[0]


@pytest.mark.parametrize(("undecided", "figures"), [(6, True), (7, False)])
def test_a_group_of_which_more_than_a_tenth_is_undecided_has_no_figures(tmp_path, undecided, figures):
    rows = [example("?" if n < undecided else 1, n % 2, language="en") for n in range(60)]
    rows += [example(1, n % 2, language="es") for n in range(60)]
    groups = neraca.validate_judge(write(tmp_path / "a.jsonl", rows), Oracle()).groups
    (english,) = (group for group in groups if group.group == "language=en")
    assert (english.undecided, bool(english.estimates())) == (undecided, figures)


def test_undecided_examples_are_counted_with_their_reasons_and_in_no_figure(tmp_path):
    rows = [example(1, 1), example("?", 1), example("?", 0), example(0, 0), example(0, 1)]
    result = neraca.validate_judge(write(tmp_path / "a.jsonl", rows), Oracle())
    assert (result.all.n, result.all.undecided, result.all.right, result.all.wrong) == (5, 2, 3, 2)
    assert result.undecided_reasons == {"said ?": 2}
    assert result.all.estimates()["agree"].value == pytest.approx(2 / 3)
    assert [(mistake.id, mistake.label, mistake.why) for mistake in result.mistakes] == [("line 5", 1.0, "said 0")]


def test_rows_without_a_label_are_left_out_and_counted(tmp_path):
    rows = [example(1, 1), example(1, None), example(0, "no"), example(0, "ya")]
    result = neraca.validate_judge(write(tmp_path / "a.jsonl", rows), Oracle())
    assert result.all.n == 3
    assert "rows without a label, left out: 1" in result.notes


def test_labels_may_be_words(tmp_path):
    labels = ["right", "Wrong", "benar", "incorrecta", "yes", 0]
    examples = read_labelled(write(tmp_path / "a.jsonl", [example(1, label) for label in labels]))
    assert examples.labels.tolist() == [1, 0, 1, 0, 1, 0]


def test_repeated_rows_and_unread_cells_of_labellers_are_counted(tmp_path):
    rows = [
        example(1, 1, label_1=1, label_2="right"),
        example(1, 0, label_1=0, label_2="?"),
        example(1, 1),
        example(1, 1),
    ]
    examples = read_labelled(write(tmp_path / "a.jsonl", rows))
    repeated, unread = examples.notes
    assert repeated.startswith(
        "rows that repeat an earlier one (question, response, contexts, reference and label): 2;"
    )
    assert unread == "label_2: cells without a label, left out: 1"


@pytest.mark.parametrize(
    ("right", "agreed", "sentences"),
    [  # of 100 rows; Wilson's interval of 60 % is 50.2 % to 69.1 %, of 59 % 49.2 % to 68.1 %
        (50, 60, ["Whoever always says the commoner label agrees on 50 %."]),
        (50, 59, ["50 %.", "not shown to be better than that: label more examples, or take another model."]),
        (80, 70, ["Whoever always says the commoner label agrees on 80 %.", "better than that: take another model."]),
    ],
)
def test_the_card_says_what_the_commoner_label_alone_would_agree_on(tmp_path, right, agreed, sentences):
    labels = [int(n < right) for n in range(100)]
    verdicts = [label if n % 100 < agreed else 1 - label for n, label in enumerate(labels)]
    rows = [example(f"{verdict} {n}", label) for n, (verdict, label) in enumerate(zip(verdicts, labels, strict=True))]
    result = neraca.validate_judge(write(tmp_path / "a.jsonl", rows), Oracle())
    assert result.all.commoner_label == right / 100
    assert result.rows()[0]["commoner_label"] == right / 100
    lead = validation_document(result).blocks[0].sentences[1:]
    assert len(lead) == len(sentences)
    for sentence, words in zip(lead, sentences, strict=True):
        assert words in sentence
    assert result.all.shown_better == (len(sentences) == 1)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            [{"contxts": ["Yes."]}, {"contxts": ["No."]}],
            r"no column \"contexts\" \(found: .*contxts.*did you mean contxts",
        ),
        ([{}, {}], r"no column \"contexts\" \(found: question, response, label\); add it, or rename yours"),
        ([{"contexts": []}, {"contexts": None}], "no example has any in the column 'contexts'; fill it"),
    ],
)
def test_a_judge_of_contexts_without_any_is_refused(tmp_path, monkeypatch, rows, words):
    monkeypatch.setitem(KIND_OF_JUDGE, "", "supported")  # the oracle reads contexts
    path = write(tmp_path / "a.jsonl", [example(n % 2, n % 2, **more) for n, more in enumerate(rows)])
    with pytest.raises(InputError, match=words):
        neraca.validate_judge(path, Oracle())


def test_examples_without_contexts_are_counted_beside_the_number(tmp_path, monkeypatch):
    monkeypatch.setitem(KIND_OF_JUDGE, "", "supported")
    rows = [example(n % 2, n % 2, contexts=["Yes."] if n else []) for n in range(3)]
    result = neraca.validate_judge(write(tmp_path / "a.jsonl", rows), Oracle())
    (note,) = result.notes
    assert note.endswith("as if nothing had been retrieved: 1")


def test_the_best_hit_counts_and_every_claim(tmp_path):
    path = write(tmp_path / "a.jsonl", [example(2, 1), example(1, 0)])

    class Hits(Oracle):
        def judge(self, pairs, session):
            for item, answer in pairs:
                for n, value in enumerate((0.0, float(answer.text))):
                    yield Verdict(item=item.id, about=f"hit:{n}", aspect="relevance", by=self.by, value=value)

    class Claims(Oracle):
        def judge(self, pairs, session):
            for item, answer in pairs:
                yield Verdict(item=item.id, about="answer", aspect="declines", by=self.by, value=0)
                for n, value in enumerate((1.0, float(answer.text) - 1)):
                    yield Verdict(item=item.id, about=f"claim:{n}", aspect="supported", by=self.by, value=value)

    assert neraca.validate_judge(path, Hits()).all.estimates()["agree"].value == 1  # grades 2 and 1 of 0 to 3
    result = neraca.validate_judge(path, Claims())
    assert result.all.estimates()["agree"].value == 1
    assert [part.score for part in result.bins] == [0.5, 1.0]


def test_labellers_agreement_is_cohens_kappa(tmp_path):
    first, second = [1, 1, 0, 0, 1, 0, 1, 1], [1, 0, 0, 0, 1, 1, 1, 1]
    rows = [example(1, a, label_1=a, label_2=b) for a, b in zip(first, second, strict=True)]
    labellers = neraca.validate_judge(write(tmp_path / "a.jsonl", rows), Oracle()).labellers
    assert labellers is not None
    assert labellers.kappa.value == pytest.approx(cohen_kappa_score(first, second))


def test_a_session_is_one_observation(tmp_path):
    rows = [example(int(n % 3 > 0), n % 2, session=f"s{n // 4}") for n in range(40)]
    by_session = neraca.validate_judge(write(tmp_path / "b.jsonl", rows), Oracle()).all.estimates()["agree"]
    together = [row | {"session": "s"} for row in rows]
    by_one = neraca.validate_judge(write(tmp_path / "a.jsonl", together), Oracle()).all.estimates()["agree"]
    assert by_session.value == by_one.value
    assert by_one.why == "too few observations"
    assert by_session.low > 0


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([{"question": "?", "response": "1"}], InputError, 'no column "label"'),
        (
            [example(1, 3)],
            InputError,
            r"1 of 1 rows have a label that is neither right nor wrong, the first 3 \(line 1\)",
        ),
        (
            [example(1, 1), example(1, "maybe"), example(0, 2)],
            InputError,
            r'2 of 3 rows .* the first "maybe" \(line 2\)',
        ),
        ([example(1, None)], InputError, "no row has a label"),
    ],
)
def test_labels_that_are_none_are_named(tmp_path, rows, error, words):
    with pytest.raises(error, match=words):
        neraca.validate_judge(write(tmp_path / "a.jsonl", rows), Oracle())


def test_judges_that_do_not_fit_are_refused(tmp_path):
    path = write(tmp_path / "a.jsonl", [example(1, 1), example(0, 0)])
    with pytest.raises(SpecError, match="name the judge to validate"):
        neraca.validate_judge(path, model="openai:m")
    with pytest.raises(SpecError, match="would both decide on example line 1"):
        neraca.validate_judge(path, [Oracle(), Oracle()])
    with pytest.raises(SpecError, match="does not decide on single answers"):
        neraca.validate_judge(path, neraca.RemembersJudge(model="openai:m"))

    class Both(Oracle):
        def judge(self, pairs, session):
            for item, _ in pairs:
                for aspect in ("good", "polite"):
                    yield Verdict(item=item.id, about="answer", aspect=aspect, by=self.by, value=1)

    with pytest.raises(SpecError, match="decides on several things"):
        neraca.validate_judge(path, Both())
    with pytest.raises(SpecError, match="level must be"):
        neraca.validate_judge(path, Oracle(), level=1.5)


def test_the_examples_that_come_with_neraca_are_balanced_and_labelled_twice():
    examples = read_labelled("examples")
    assert (len(examples), examples.shipped) == (240, True)
    assert set(examples.kinds) == set(JUDGE_OF_KIND)
    for tag, values in (("language", ("en", "id", "es", "ar")), ("kind", tuple(JUDGE_OF_KIND))):
        for value in values:
            labels = [label for label, own in zip(examples.labels, examples.groups[tag], strict=True) if own == value]
            assert len(labels) == 60, value
            assert 29 <= sum(labels) <= 31, value
    assert sorted(examples.labellers) == ["label_1", "label_2"]
    assert len({item.query for item in examples.items}) > 230


def test_each_kind_has_its_judge_and_a_dry_run_pays_nothing(tmp_path):
    with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session:
        result = neraca.validate_judge("examples", model="openai:m", session=session)
    assert result.spent.calls == 240
    assert {name.split()[0] for name in result.judges} == {"supported", "aspect", "relevance", "valid"}
    with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session:
        result = neraca.validate_judge("examples", "valid", model="openai:m", session=session)
    assert result.all.n == 60
    assert result.notes[0].startswith("examples of other kinds, left out: ")
    assert all(f"{kind} (60)" in result.notes[0] for kind in ("supported", "correct", "relevant"))


def test_the_card_says_who_judged_what_and_hides_nothing(mixed, tmp_path):
    result = neraca.validate_judge(mixed, Oracle())
    result.save(tmp_path / "card.md")
    card = (tmp_path / "card.md").read_text()
    assert "llm:oracle#123456" in card
    assert "labelled.jsonl" in card
    assert result.data_hash in card
    assert "On 80 of 80 labelled examples that it decided, the judge says the same as the label in 85 %" in card
    assert "+0.025" in card
    assert "fewer than 30 right or 30 wrong examples" in card
    for suffix in ("html", "json"):
        result.save(tmp_path / f"card.{suffix}", language="es")
        assert result.data_hash in (tmp_path / f"card.{suffix}").read_text()


def test_the_card_says_when_and_with_what_it_was_made(mixed):
    """A user name and a password in the URL are no part of it."""
    settings = {"url": "http://me:secret@127.0.0.1:9/v1?key=secret", "temperature": 0.5}
    result = neraca.validate_judge(mixed, Oracle(), settings)
    assert (result.endpoints, result.temperatures) == (("http://127.0.0.1:9/v1",), (0.5,))
    text = to_markdown(validation_document(result))
    assert f"Made on {datetime.now(UTC):%Y-%m-%d} with Neraca {version('neraca')}." in text
    assert "The model was served at http://127.0.0.1:9/v1." in text
    assert "Temperature: 0.5." in text
    assert "secret" not in text
    assert "\\`" not in text

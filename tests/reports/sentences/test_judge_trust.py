"""What is said of the models behind numbers: whether labels check them, and what may have steered them."""

import pytest
from builders import make_run
from drawn import to_html, to_markdown

import neraca
from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.blocks.paper_table import paper_table
from neraca.reports.report import report
from neraca.translation import written_in

N = 40
ITEMS = [Item(id=f"q{n}", query=f"question {n}") for n in range(N)]
JUDGE, ANA = "llm:openai:qwen#1a2b3c", "human:ana"
UNCHECKED = (
    "o label in these runs checks the judge openai:qwen (valid), on which Valid rests: try it on labelled examples "
    "(neraca agree --validate examples --judge valid --model openai:qwen, with the same --url if it has one), or label "
    "some of the answers (neraca rate RUN… --kind review --aspect valid --most 60 --page review.html)"
)


def on(aspect, n, by, value=lambda place: place % 2, caution=lambda place: ""):
    return [
        Verdict(item=f"q{n}", about="answer", aspect=aspect, value=value(n), by=by, caution=caution(n))
        for n in range(n)
    ]


@pytest.fixture
def notes_of(tmp_path):
    """The notes on the scores of a run with these verdicts."""

    def notes(*verdicts, metrics="Valid", **how):
        answers = [Answer(item=item.id, text=f"{item.id} so", hits=(Hit(id="d", text="x"),)) for item in ITEMS]
        run = make_run(tmp_path / "b", ITEMS, answers, [one for several in verdicts for one in several])
        return neraca.score([run], metrics, **how)

    return notes


def test_a_judge_without_labels_is_named_with_the_remedy_and_first_in_the_report(notes_of):
    scores = notes_of(on("valid", N, JUDGE))
    assert "n" + UNCHECKED in neraca.notes(scores)
    assert report(scores).notes[0] == f"N{UNCHECKED}."
    for page in (to_markdown(report(scores)), to_html(report(scores))):
        assert "checks the judge openai:qwen" in page


def test_two_judges_and_two_kinds_of_one_are_named_each(notes_of):
    scores = notes_of(
        on("valid", N, JUDGE), on("polite", N, JUDGE), on("short", N, "llm:m"),
        metrics="Valid Aspect(polite) Aspect(short) Words",
    )  # fmt: skip
    first, second = (note for note in neraca.notes(scores) if "no label" in note)
    assert "the judge openai:qwen (valid, aspect), on which Valid and Aspect(polite) rest:" in first
    assert "the judge m (aspect), on which Aspect(short) rests:" in second
    assert "examples --judge valid --model openai:qwen," in first, "the examples do not check a criterion of one's own"
    assert "--aspect 'polite valid' --most 60" in first, "as a shell takes it"
    assert "labelled examples" not in second
    assert second.endswith("rests: label some of the answers (neraca rate RUN… --kind review --aspect short --most 60 "
        "--page review.html)")  # fmt: skip


def test_two_judges_of_the_same_examples_are_not_named_in_one_command(notes_of):
    claims = [*on("claims", N, JUDGE), *on("contexts", N, JUDGE)]
    part = [
        Verdict(item=f"q{n}", about="claim:1", aspect=aspect, value=1, by=JUDGE, why="It is so.")
        for n in range(N)
        for aspect in ("claim", "supported")
    ]
    scores = notes_of(on("supported", N, JUDGE), claims, part, metrics="Supported Faithfulness")
    (note,) = (note for note in neraca.notes(scores) if "no label" in note)
    assert "(supported, claims), on which" in note
    assert "examples --judge supported --model" in note
    assert "with the same --url if it has one; claims in a card of its own), or label" in note
    for language, words in (("es", "; claims en una ficha aparte), o "), ("id", "; claims dalam kartu tersendiri), ")):
        with written_in(language):
            assert any(words in one for one in neraca.notes(scores))


def test_a_jury_is_no_model_to_be_tried(notes_of):
    (note,) = (note for note in neraca.notes(notes_of(on("valid", N, "llm:jury"))) if "no label" in note)
    assert "on which Valid rests: label some of the answers (neraca rate RUN… --kind review --aspect valid" in note


@pytest.mark.parametrize("by", [ANA, "rules", "phrases"])
def test_nothing_is_said_of_people_and_programs_without_a_model(notes_of, by):
    notes = neraca.notes(notes_of(on("valid", N, by)))
    assert not [note for note in notes if "judge" in note or "overrule" in note]


def test_labels_are_said_with_how_often_they_are_the_same(notes_of):
    """People say 1 on 10 answers, of which the judge gave 1 to every second."""
    verdicts = on("valid", N, JUDGE), on("valid", 10, ANA, value=lambda place: 1)
    (mixed,) = (note for note in neraca.notes(notes_of(*verdicts)) if "Valid" in note)
    assert mixed.startswith(
        "Valid: 10 verdicts by people beside 30 by llm:openai:qwen, and people's word counts where both decided "
        "(the same on 5 of 10); --by names one"
    )


def test_labels_on_every_verdict_are_said_with_the_judge_that_they_overrule(notes_of):
    """People say 1 on all 40 answers, of which the judge gave 1 to every second."""
    verdicts = on("valid", N, JUDGE), on("valid", N, ANA, value=lambda place: 1)
    scores = notes_of(*verdicts)
    note = "Valid: all 40 verdicts are people's, who overrule llm:openai:qwen (the same on 20 of 40)"
    assert note in neraca.notes(scores)
    assert f"{note}." in report(scores).notes
    for how in ({"by": "human"}, {"by": "llm:openai:qwen"}):
        assert not [one for one in neraca.notes(notes_of(*verdicts, **how)) if "overrule" in one]
    with written_in("es"):
        assert any(one.startswith("Valid: los 40 veredictos son de personas") for one in neraca.notes(scores))
    with written_in("id"):
        assert any(one.startswith("Valid: semua 40 putusan adalah putusan orang") for one in neraca.notes(scores))


def test_a_judge_that_is_named_counts_alone_and_is_checked_by_the_labels(notes_of):
    verdicts = on("valid", N, JUDGE), on("valid", 10, ANA, value=lambda place: 1)
    scores = notes_of(*verdicts, metrics="Valid(by=llm:openai:qwen)")
    assert (
        "Valid(by=llm:openai:qwen) rests on the judge openai:qwen (valid): people labelled 10 of its 40 verdicts too, "
        "and say the same on 5 (neraca agree)"
    ) in neraca.notes(scores)


@pytest.mark.parametrize(
    "labels, words",
    [(0, "which no label checks"), (10, "of which people labelled 10 of 40 too and said the same on 5")],
)
def test_the_table_for_a_paper_names_the_judge_of_its_columns(notes_of, labels, words):
    verdicts = on("valid", N, JUDGE), on("valid", labels, ANA, value=lambda place: 1)
    _, notes = paper_table(report(notes_of(*verdicts, metrics="Valid Words")))
    assert f"Valid: verdicts of the model openai:qwen (valid), {words}." in notes


def test_corrected_scores_say_only_how_they_were_corrected(notes_of):
    verdicts = on("valid", N, JUDGE), on("valid", N - 5, ANA, value=lambda place: 1)
    scores = notes_of(*verdicts, correct="ppi")
    assert not [note for note in neraca.notes(scores) if "the judge openai:qwen" in note or "beside" in note]
    assert not [note for note in paper_table(report(scores))[1] if "openai:qwen" in note]


def test_answers_that_may_have_steered_the_judge_are_counted_with_the_value_without_them(notes_of):
    """Of 20 answers with 1 in 40, the orders are on three of those with 1: 17 of 37."""
    scores = notes_of(on("valid", N, JUDGE, caution=lambda place: "give 5" if place in (1, 3, 5) else ""))
    note = (
        "b: 3 of 40 answers carry a caution, because a text reads like an order to the judge; if left out, Valid is "
        "0.459 instead of 0.500"
    )
    assert note in neraca.notes(scores)
    assert report(scores).notes[1] == f"{note}."


def test_the_primary_metric_and_the_largest_changes_in_shares_of_the_range_are_named_first(notes_of):
    """Without answer 1 Valid changes by 0.013, the criteria by 0.024 (c0) to 0.021, the grades by 0.075 of 4: 0.019."""
    names = [f"c{n}" for n in range(7)]
    caution = lambda place: "give 5" if place == 1 else ""  # noqa: E731
    verdicts = [
        on("valid", N, JUDGE, caution=caution),
        *(
            on(name, N, JUDGE, value=lambda place, n=n: int(place < 2 + n), caution=caution)
            for n, name in enumerate(names)
        ),
    ]
    grades = on("depth", N, JUDGE, value=lambda place: 4 if place == 1 else 1, caution=caution)
    metrics = " ".join(["Valid", *(f"Aspect({name})" for name in names), "Rubric(depth,scale=1-5)"])
    (note,) = (note for note in neraca.notes(notes_of(*verdicts, grades, metrics=metrics)) if "caution" in note)
    order = [part.split(" is ")[0].split(" ")[-1] for part in note.split("if left out, ")[1].split(" instead")[:-1]]
    assert order == ["Valid", "Aspect(c0)", "Aspect(c1)", "Aspect(c2)", "Aspect(c3)"]
    assert note.endswith("and 4 more change")


def test_what_concerns_the_primary_metric_comes_first(notes_of):
    """People labelled the judge of the primary metric; that of the other is unchecked."""
    scores = notes_of(
        on("polite", N, JUDGE), on("valid", N, "llm:m"), on("valid", 10, ANA, value=lambda place: 1),
        metrics="Valid Aspect(polite) P@5",
    )  # fmt: skip
    first, second = report(scores).notes[:2]
    assert first.startswith("Valid: 10 verdicts by people beside 30 by llm:m")
    assert second.startswith("No label in these runs checks the judge openai:qwen (aspect)")
    assert report(scores, primary="Aspect(polite)").notes[0].startswith("No label in these runs checks")
    assert sum("verdicts by people" in note for note in report(scores, primary="Aspect(polite)").notes) == 1


@pytest.mark.parametrize(
    "places, ending",
    [
        ((1, 2), "2 of 40 answers carry a caution, because a text reads like an order to the judge; if left out, "
            "Valid stays the same"),
        ((1,), "1 of 40 answers carries a caution, because a text reads like an order to the judge; if left out, "
            "Valid is 0.487 instead of 0.500"),
        (range(N), "40 of 40 answers carry a caution, because a text reads like an order to the judge"),
    ],
)  # fmt: skip
def test_one_answer_all_answers_and_an_equal_value_have_their_words(notes_of, places, ending):
    notes = neraca.notes(notes_of(on("valid", N, JUDGE, caution=lambda place: "give 5" if place in places else "")))
    assert f"b: {ending}" in notes


@pytest.mark.parametrize(
    "language, words",
    [
        ("es", ["ninguna etiqueta de estas ejecuciones comprueba al juez openai:qwen (valid), en el que se basa Valid",
            "b: 3 de 40 respuestas llevan una advertencia"]),
        ("id", ["tidak ada label dalam run ini yang memeriksa juri openai:qwen (valid), padahal Valid berdasar padanya",
            "b: 3 dari 40 jawaban membawa peringatan"]),
    ],
)  # fmt: skip
def test_other_languages_say_the_same(notes_of, language, words):
    scores = notes_of(on("valid", N, JUDGE, caution=lambda place: "give 5" if place in (1, 3, 5) else ""))
    with written_in(language):
        notes = list(neraca.notes(scores))
    for word in words:
        assert any(note.startswith(word) for note in notes), notes

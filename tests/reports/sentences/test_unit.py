from neraca.reports.sentences.unit import observation, too_few, unit_notes
from neraca.scores.unit import Unit

ASSUMED = "no answer depends on the questions before it"
REMEDY = "The same questions in 6 sessions or more"


def unit(asked, by, groups, sessions, items=30):
    return Unit(asked=asked, by=by, items=items, groups=groups, sessions=sessions)


def test_what_is_one_observation_why_and_what_would_be_stronger():
    assert observation(unit("auto", "question", 30, 30)) == "each question, asked on its own"
    alone = observation(unit("auto", "question", 30, 1))
    assert alone.startswith("each question, because all are of one session. ")
    asked = observation(unit("question", "question", 30, 3))
    assert asked.startswith("each question (as asked for), though they are of 3 sessions. ")
    assert all(ASSUMED in words and REMEDY in words for words in (alone, asked))
    assert observation(unit("auto", "session", 6, 6)) == (
        "all questions of one session, because they hang together; there are 6 sessions of 30 questions"
    )
    few = observation(unit("session", "session", 1, 1))
    assert "(as asked for); the 30 questions are all of one session, and fewer than 6 do not show" in few
    assert REMEDY in few
    assert "one value of user (as asked for)" in observation(unit("user", "user", 8, 30))
    assert "there are 8 values of user of 30 questions" in observation(unit("user", "user", 8, 30))
    assert "With 6 values of user or more" in observation(unit("user", "user", 2, 30))


def test_notes_are_for_what_nobody_asked_for():
    assert not list(unit_notes(unit("auto", "question", 30, 30)))
    assert not list(unit_notes(unit("question", "question", 30, 1)))
    assert not list(unit_notes(unit("auto", "session", 6, 6)))
    assert not list(unit_notes(unit("auto", "question", 1, 1, items=1)))
    assert not list(unit_notes(Unit()))
    (assumed,) = unit_notes(unit("auto", "question", 30, 1))
    assert ASSUMED in assumed
    (few,) = unit_notes(unit("auto", "session", 5, 5))
    assert few.startswith(
        "the 30 questions are of 5 sessions, and fewer than 6 do not show how much is chance: no interval"
    )


def test_why_so_few_show_nothing():
    assert too_few(unit("user", "user", 2, 30), 1, 9).startswith("the 9 questions are of 1 value of user, and")

"""When an answer is complete: tables of what a page shows and when, with no browser."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from neraca.targets.browser.watch import Ended, Look, Watch, placeholder

EVERY = 0.2
"""Seconds between two looks."""

SOON, LATE, LAST = Watch(0.0).soon, Watch(0.0).late, Watch(0.0).last

State = tuple[float, str, str]
"""From this second on, this text stands there, with these signs: words of `stop moving composed open answered`."""


@dataclass(frozen=True)
class Followed:
    """What came of it: after how many seconds the answer was over (None: never), how, and the watch itself."""

    at: float | None
    ended: Ended | None
    watch: Watch

    def after(self, last: float) -> float:
        """Seconds from the last change of the page until the answer was taken."""
        assert self.at is not None, "never ended"
        return self.at - last


def follow(*states: State, seconds: float = 120.0) -> Followed:
    """Look at such a page until its answer has ended, or for so many seconds after the question."""
    watch = Watch(1000.0)
    for number in range(int(seconds / EVERY)):
        at = number * EVERY
        _, text, words = ([(0.0, "", "")] + [state for state in states if state[0] <= at + 1e-9])[-1]
        signs = set(words.split())
        look = Look(
            at=1000.0 + at,
            text=text,
            stop="stop" in signs,
            moving="moving" in signs,
            composed="composed" in signs,
            calm="open" not in signs,
            answered="answered" in signs,
        )
        if (ended := watch.see(look)) is not None:
            return Followed(at, ended, watch)
    return Followed(None, None, watch)


def streamed(start: float, end: float, signs: str, stall: tuple[float, float] = (0, 0)) -> list[State]:
    """A text that grows by a word each 0.2 s, but stands still for the seconds `stall[1]` from `stall[0]` on."""
    states: list[State] = []
    at = start
    while at <= end:
        states.append((at, " ".join(["word"] * (len(states) + 1)), signs))
        at += EVERY if not stall[0] <= at < stall[0] + EVERY else stall[1]
    return states


# the end


def test_a_page_that_was_at_work_and_rests_is_believed_soon() -> None:
    for sign in ("stop", "moving", "composed", "open"):
        seen = follow((0, "", sign), (3, "Four", "answered"))
        assert seen.ended == Ended("the page came to rest"), sign
        assert SOON <= seen.after(3) < LATE, sign


def test_a_page_that_never_showed_work_is_believed_late() -> None:
    seen = follow((1, "Four", ""))
    assert seen.ended == Ended(f"nothing changed for {LATE:.1f} s")
    assert LATE <= seen.after(1) < LATE + 2 * EVERY


def test_an_answer_that_has_not_begun_never_ends() -> None:
    assert follow((0, "", "")).at is None
    assert follow((0, "", "answered")).at is None


@pytest.mark.parametrize("stall", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("signs", ["stop", "open composed", "open moving", "stop open moving composed"])
def test_a_pause_of_a_page_that_is_at_work_is_no_end(signs: str, stall: float) -> None:
    states = streamed(1, 3 + stall, signs, (2, stall))
    last, text, _ = states[-1]
    seen = follow((0, "", signs), *states, (last + EVERY, text, "answered"))
    assert seen.ended == Ended("the page came to rest")
    assert seen.watch.text == text
    assert seen.at is not None
    assert seen.at > last + EVERY


@pytest.mark.parametrize("signs", ["composed", "open", "moving"])
def test_a_pause_of_three_seconds_is_no_end_where_one_sign_is_there(signs: str) -> None:
    states = streamed(1, 6, signs, (2, 3.0))
    last, text, _ = states[-1]
    seen = follow(*states, (last + EVERY, text, ""))
    assert seen.ended is not None
    assert (seen.ended.suspect, seen.watch.text) == (False, text)


def test_a_socket_without_signs_may_pause_for_a_second() -> None:
    states = streamed(1, 5, "", (2, 1.0))
    seen = follow(*states)
    assert seen.watch.text == states[-1][1]
    assert seen.ended == Ended(f"nothing changed for {LATE:.1f} s")
    assert seen.after(states[-1][0]) > LATE - EVERY


def test_who_paused_long_is_waited_for_longer() -> None:
    pause = LATE - EVERY
    states = streamed(1, 8 + pause, "", (2, pause))
    seen = follow(*states)
    last, text, _ = states[-1]
    assert seen.watch.text == text
    assert seen.after(last) == pytest.approx(2 * pause, abs=2 * EVERY)


def test_how_long_a_placeholder_stood_is_no_pause_of_the_answer() -> None:
    seen = follow((0, "Thinking…", ""), (9, "Four", ""))
    assert seen.ended == Ended(f"nothing changed for {LATE:.1f} s")


def test_while_there_is_a_stop_button_nothing_ends() -> None:
    assert follow((0, "", "stop"), (1, "Half of it", "stop"), seconds=600).at is None
    assert follow(*streamed(1, 3, "stop"), seconds=600).at is None


@pytest.mark.parametrize("signs", ["open composed", "open moving", "moving composed", "open moving composed"])
def test_two_signs_of_work_never_end(signs: str) -> None:
    assert follow(*streamed(1, 3, signs), seconds=600).at is None


def test_an_endless_animation_alone_makes_a_streamed_answer_suspect() -> None:
    seen = follow(*streamed(1, 3, "moving"))
    assert seen.ended == Ended(f"nothing changed for {LAST:.0f} s, but the page still shows an animation", suspect=True)
    assert follow((1, "Loaded all at once", "moving"), seconds=600).at is None


def test_a_request_that_never_ends_makes_an_answer_suspect() -> None:
    seen = follow((1, "Four", "open"))
    assert seen.ended is not None
    assert seen.ended.suspect
    assert seen.ended.why.endswith("the page still shows an open connection")
    assert LAST <= seen.after(1) < LAST + 2 * EVERY


def test_buttons_that_look_otherwise_for_ever_only_delay_the_end() -> None:
    seen = follow((1, "Four", "composed"))
    assert seen.ended == Ended(f"nothing changed for {2 * LATE:.1f} s, though the buttons look otherwise than before")
    assert 2 * LATE <= seen.after(1) < 2 * LATE + 2 * EVERY


def test_a_lone_sign_is_trusted_longer_where_pauses_were_long() -> None:
    pause = LAST - EVERY
    states = streamed(1, 5 + pause, "open", (2, pause))
    seen = follow(*states)
    assert seen.ended is not None
    assert seen.ended.suspect
    assert seen.after(states[-1][0]) == pytest.approx(2 * 2 * pause, abs=2 * EVERY)


# placeholders


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "…", "...", "▌", "● ● ●", "_", "|"),
        *("Thinking…", "Thinking", "thinking...", "💭 Thinking", "Searching the documents…", "Reading 3 documents…"),
        *("Loading", "Generating answer", "Let me check that…", "One moment", "Please wait", "Analysing the contract"),
        *("Typing", "Processing your request…", "Hold on…", "Working on it..."),
        *("Pensando…", "Buscando en los documentos…", "Un momento…", "Consultando la base", "Escribiendo"),
        *("Sedang mencari…", "Mencari rumah", "Sebentar", "Tunggu sebentar…", "Memuat data", "Mengetik"),
        *("جاري البحث", "جارٍ التحميل", "لحظة", "يكتب", "انتظر قليلا"),
    ],
)
def test_a_text_that_only_says_to_wait_is_a_placeholder(text: str) -> None:
    assert placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Four", "Yes.", "0", "-", "Yes, at the back.", "There is no pool"),
        *("Thinking is what philosophers do.", "Searching takes two days.", "Loading is free!", "Working where?"),
        *("Rethinking", "Typingly said", "We are thinking of selling the villa next year to a family of four"),
        "Searching for houses in Medan gave 17 results, of which four have a garden and a pool, and one a lake…",
        "I have looked through all the houses that there are near the lake…",
        *("Pensándolo bien, sí.", "Mencari rumah itu mudah.", "نعم، يوجد موقف لسيارتين أمام المنزل."),
    ],
)
def test_a_text_that_says_something_is_no_placeholder(text: str) -> None:
    assert not placeholder(text)


@pytest.mark.parametrize("text", ["Thinking…", "Un momento…", "Sedang mencari…", "جاري البحث", "…", "▌"])
def test_a_placeholder_is_never_a_complete_answer(text: str) -> None:
    assert follow((0, text, "stop"), seconds=600).at is None
    assert follow((0, text, "open composed"), seconds=600).at is None
    seen = follow((0, text, ""), (1, text, "answered"))
    assert seen.ended == Ended(f"nothing changed for {LAST:.0f} s, but it looks like a placeholder", suspect=True)
    assert seen.watch.partial == ""


def test_placeholders_that_follow_one_another_do_not_end_or_count_as_the_answer() -> None:
    waiting = [(0.0, "Thinking…", "stop"), (4.0, "Reading 3 documents…", "stop")]
    seen = follow(*waiting, (9, "Four", "stop"), (10, "Four", ""))
    assert (seen.watch.text, seen.ended) == ("Four", Ended("the page came to rest"))


# times and texts


def test_the_first_text_is_not_the_placeholder() -> None:
    states = [(0.4, "Thinking…", "open"), (2.0, "The", "open"), (2.4, "The villa", "open"), (3.0, "The villa", "")]
    watch = follow(*states).watch
    assert watch.first == pytest.approx(2.0)
    assert watch.total == pytest.approx(2.4)


@pytest.mark.parametrize("cursor", ["▌", " ▍", "█", "●", "|", "_", "…", "..."])
def test_a_cursor_at_the_end_hides_no_first_text(cursor: str) -> None:
    long = "The villa has four bedrooms on two floors, and a garden that looks over"
    whole = f"{long} the lake."
    states = [(1.0, f"The villa has{cursor}", "open"), (2.0, long + cursor, "open"), (3.0, whole, "open")]
    watch = follow((0.2, "…", "open"), *states, (4.0, whole, "")).watch
    hidden = cursor in ("…", "...")  # a short text that ends in dots may be a placeholder
    assert watch.first == pytest.approx(2.0 if hidden else 1.0)
    assert watch.text == whole


def test_a_text_that_was_taken_back_is_not_the_first_of_the_answer() -> None:
    watch = follow((1.0, "Hello there", "open"), (2.0, "Four", "open"), (3.0, "Four", "")).watch
    assert watch.first == pytest.approx(2.0)


def test_a_text_that_only_lost_its_cursor_has_not_been_streamed() -> None:
    assert not follow((1.0, "Four▌", "open"), (1.4, "Four", "open"), (2.0, "Four", "")).watch.streamed
    assert follow(*streamed(1.0, 2.0, "open"), seconds=3).watch.streamed


def test_before_anything_is_said_there_is_no_first_text_and_no_total() -> None:
    watch = follow((0, "", "open"), seconds=5).watch
    assert (watch.first, watch.total, watch.partial, watch.text) == (None, 0.0, "", "")


def test_what_was_last_seen_is_kept_although_a_placeholder_takes_its_place() -> None:
    watch = follow((1, "The first half of", "open stop"), (2, "Reconnecting…", "open stop"), seconds=20).watch
    assert watch.partial == "The first half of"
    assert follow((1, "Half", "stop"), (2, "", "stop"), seconds=20).watch.text == ""

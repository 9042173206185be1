"""Ratings of one file that contradict or repeat each other at the same time: the order of lines decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.counts_and_lists import listed
from neraca.people.assignment import Assignment
from neraca.people.rating import Rating
from neraca.people.rating_words import value_words
from neraca.translation import say

_Subject = tuple[str, str, str]


def find_contradictions(ratings: Sequence[tuple[str, Rating]], work: Assignment) -> tuple[set[int], list[str]]:
    """Return the positions of the ratings that others in the file contradict, from 0, and messages on them.

    Two ratings contradict each other if they give the same subject different values at the same time.  None of
    them counts.  A result is the same subject in all answers to its question.  Ratings of other tasks are passed over.

    Parameters
    ----------
    ratings
        Each rating with its place in the file, in words.
    work
        The assignment that was rated.
    """
    places_by_subject: dict[_Subject, dict[float | str | None, str]] = {}
    firsts: dict[_Subject, Rating] = {}
    for place, rating in ratings:
        if rating.task in work.ids:
            places_by_subject.setdefault(_subject(rating), {}).setdefault(rating.value, place)
            firsts.setdefault(_subject(rating), rating)
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for subject, places in places_by_subject.items():
        if len(places) > 1:
            question, name = work.names_of(firsts[subject])
            values = listed([value_words(subject[1], value) for value in places])
            groups.setdefault((question, tuple(places.values())), []).append(f"{name}: {values}")
    messages = [_message(question, places, differences) for (question, places), differences in groups.items()]
    subjects = (_subject(rating) if rating.task in work.ids else None for _, rating in ratings)
    contradicted = {subject for subject, places in places_by_subject.items() if len(places) > 1}
    return {number for number, subject in enumerate(subjects) if subject in contradicted}, messages


def _subject(rating: Rating) -> _Subject:
    """Return the subject and time of a rating."""
    return "" if rating.on.startswith("hit:") else rating.task, rating.on, rating.at


def _message(query: str, places: Sequence[str], differences: Sequence[str]) -> str:
    template = (
        "{places} contradict each other on {query!r} at the same time ({differences}); none of these is taken. "
        "Correct them, or keep only one"
    )
    return say(template, query=query, places=listed(list(places)), differences="; ".join(differences))


def repeated_ratings(ratings: Sequence[Rating]) -> str:
    """Return a note on ratings that stand in the file several times with the same value and time, or ""."""
    subjects = [(rating.task, rating.on, rating.value, rating.at) for rating in ratings]
    n = len(subjects) - len(set(subjects))
    return say("ratings that repeat an equal one of the same time, and count once with it: {n:,}", n=n) if n else ""


def withdrawn_ratings(ratings: Sequence[Rating]) -> str:
    """Return a note on the subjects whose newest rating has no value, or ""; `ratings` are in the order of time."""
    newest = {_subject(rating)[:2]: rating.value for rating in ratings}
    n = sum(value is None for value in newest.values())
    template = "ratings without a value, which only withdraw an earlier rating of the same person: {n:,}"
    return say(template, n=n) if n else ""

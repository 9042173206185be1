"""The draft of a live system: repeatable, page after page, whatever the rankers return."""

from collections import Counter

import pytest

import neraca
from neraca.errors import InputError, SpecError
from neraca.online.interleaving.method import METHODS

A = [f"a{n}" for n in range(12)] + ["both", "last"]
B = ["both", "a3", *(f"b{n}" for n in range(12))]


def draft(**options):
    return neraca.interleave({"a": A, "b": B}, **{"query": "red shoes", "user": "u1", **options})


@pytest.mark.parametrize("method", ["team_draft", "probabilistic", "balanced"])
def test_the_second_page_goes_on_where_the_first_ended(method):
    whole = draft(method=method, length=20)
    pages = [draft(method=method, length=length, start=start) for start, length in ((0, 7), (7, 7), (14, 6))]
    assert tuple(name for page in pages for name in page.documents) == whole.documents
    assert tuple(name for page in pages for name in page.teams) == whole.teams
    assert {page.ranking_id for page in pages} == {whole.ranking_id}
    assert len(set(whole.documents)) == 20


def test_more_documents_at_the_end_do_not_change_the_first_page():
    longer = {"a": [*A, "new"], "b": [*B, "newer"]}
    assert neraca.interleave(longer, query="red shoes", user="u1") == draft()


def test_the_same_call_gives_the_same_list_and_any_other_key_another_id():
    assert draft() == draft()
    others = [{}, {"seed": 1}, {"user": "u2"}, {"query": "hat"}, {"method": "balanced"}]
    assert len({draft(**other).ranking_id for other in others}) == len(others)
    pair = [neraca.interleave({"a": A, name: B}, query="q").ranking_id for name in ("b", "c")]
    assert pair[0] != pair[1]


def test_over_many_users_each_ranker_is_first_half_of_the_time():
    firsts = Counter(draft(user=str(user)).teams[0] for user in range(2000))
    assert firsts["a"] == pytest.approx(1000, abs=4 * 500**0.5)


def test_a_document_that_a_ranker_repeats_counts_once():
    found = neraca.interleave({"a": ["1", "1", "2"], "b": ["3", "4", "3"]}, query="q", length=9)
    assert sorted(found.documents) == ["1", "2", "3", "4"]


def test_a_ranker_that_finds_nothing_leaves_the_other_one_s_list_without_teams():
    found = neraca.interleave({"a": ["1", "2"], "b": []}, query="q")
    assert (found.documents, found.teams) == (("1", "2"), ("", ""))
    assert neraca.interleave({"a": [], "b": []}, query="q").documents == ()


def test_a_query_that_is_no_proper_text_is_drafted_too():
    assert len(draft(query="\ud800 \0").documents) == 10


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"method": "team"}, SpecError, "did you mean team_draft"),
        ({"method": "optimised", "start": 10}, SpecError, "no second page"),
        ({"method": "probabilistic(tau=0)"}, SpecError, "tau must be above 0"),
        ({"method": "team_draft(k=1)"}, SpecError, "no parameter"),
        ({"length": -1}, InputError, "at least 0, not -1 and 0"),
    ],
)
def test_what_cannot_be_done_is_an_error(options, error, words):
    with pytest.raises(error, match=words):
        draft(**options)


def test_the_number_of_rankers_is_checked():
    three = {"a": A, "b": B, "c": A}
    assert len(neraca.interleave(three, query="q").documents) == 10
    with pytest.raises(SpecError, match="two rankers, not 3; team_draft"):
        neraca.interleave(three, query="q", method="balanced")
    with pytest.raises(SpecError, match="two or more"):
        neraca.interleave({"a": A}, query="q")
    with pytest.raises(InputError, match="give each ranker the name"):
        neraca.interleave({"": A, "b": B}, query="q")


def test_all_methods_are_on_the_shelf():
    assert METHODS.names() == ["balanced", "optimised", "probabilistic", "team_draft"]

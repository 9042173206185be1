"""Reports of online experiments in other languages: no English is left, and the numbers are the same."""

import math
import random
import re
from dataclasses import replace

import pytest
from online.interleaving.logs import frame
from online.log_files import write_log
from online.test_ab import AT, DAY, click, search

from neraca import translation
from neraca.metaeval.correlate import correlate
from neraca.number_format import MARKS
from neraca.online.ab import ab
from neraca.online.ab_counts import DIRECTIONS, compare_counts
from neraca.online.ab_metrics import METRICS
from neraca.online.ab_plan import plan_ab
from neraca.online.exclusions import REASONS, Exclusions
from neraca.online.experiment import AbOptions
from neraca.online.interleaving.click_credit import click_credit
from neraca.online.interleaving.fairness import FirstRank
from neraca.online.interleaving.preference import interleaving_result
from neraca.online.interleaving.sensitivity import Design, PlanOptions, SensitivityPlan
from neraca.online.log_options import LogOptions
from neraca.online.message import Message
from neraca.online.search_log import search_log
from neraca.reports.blocks.block import Figure, Heading, Sentences
from neraca.reports.formats.terminal import to_screen
from neraca.reports.online.ab import ab_document
from neraca.reports.online.ab_counts import counts_document
from neraca.reports.online.ab_plan import ab_plan_document
from neraca.reports.online.interleaving import interleaving_document
from neraca.reports.online.interleaving_plan import plan_document
from neraca.result import Table
from neraca.translation import translations

#: Names and codes that are the same in every language.
NAMES = re.compile(
    r"[A-Z]?|[abc] – [abc]|.*\d.*|[−–]|n|p|rho|[a-z]+_[a-z_]+(/\w+)?[*]?|clicks|searches[*]?|revenue|device=.*|AP|RR"
)
#: Words that are the same in two languages, and names of metrics.
SAME = {"Bootstrap", "Plan", "Log", "exact", "relative", "holds", "interleaving"}
SAME |= {name + mark for name in METRICS for mark in ("", "*")} | {*DIRECTIONS}


def two_weeks(folder, arms="AB", users=104, gap=0.4, days=6):
    """Users with a habit of clicking who search before and during a test; in B they click more."""
    chance, rows = random.Random(3), []
    for n in range(users):
        arm, habit = arms[n % len(arms)], chance.random() * 0.6
        for day in range(days):
            at, variant = AT + day * DAY + n, arm if day >= days // 3 else ""
            rows.append(search(f"u{n}", variant, day, at, device=("phone", "desktop")[n % 3 > 0], colour="red"))
            if chance.random() < habit + gap * (arm == "B"):
                rows.append(click(f"u{n}", day, at + 5))
        if n % 9 == 0:
            rows.append({"action": "purchase", "user": f"u{n}", "session": f"su{n}", "time": at + 50})
    rows.append(click("u0", 99, AT + 90))
    return write_log(folder / "log.csv", rows, [*{name: 0 for row in rows for name in row}])


def of_searches(folder):
    """Return a log with a row for each search, without users and times of clicks; one arm says its reformulations."""
    rows = [{"session": f"s{n}", "time": AT + n % 5 * DAY, "query": "a b", "shown": "d1 d2"} for n in range(60)]
    rows = [row | {"clicks": "d1" if n % 3 else "[]", "variant": "AB"[n % 2]} for n, row in enumerate(rows)]
    rows = [row | {"reformulated": "false" if row["variant"] == "A" else ""} for row in rows]
    return search_log(write_log(folder / "rows.csv", rows, [*rows[0]]))


def experiments(folder):
    """Yield A/B tests: decided, undecided, with a broken guardrail, a bad split, three arms and every exclusion."""
    log = search_log(two_weeks(folder), LogOptions(segments=("device",)))
    decided = ab(log, options=AbOptions(checks=20, guards={"clicks": 0.01, "click_through@1": 0.2}))
    yield decided
    yield ab(log, ["click_through", "searches"], AbOptions(checks=20, shares={"A": 0.9, "B": 0.1}))
    yield ab(log, ["abandonment", "click_through"], AbOptions(looks="once", guards={"clicks": 0.01}, cuped=False))
    yield ab(of_searches(folder), options=AbOptions(checks=0))
    yield ab(search_log(two_weeks(folder, users=12, days=3)), ["click_through"], AbOptions(looks="once"))
    every = Exclusions(searches=90)
    for n, reason in enumerate(REASONS, 1):
        every.add(reason, n, Message("user {user}", user="ana"))
        every.searches_by_reason[reason] = n
    odd = [replace(e, bootstrap=(-1.0, 1.0)) for e in decided.effects]
    yield replace(decided, exclusions=tuple(every.listed()), effects=tuple(odd), earlier=3)
    bad = replace(decided.check, found=dict.fromkeys(decided.check.found, 30))
    undirected = [replace(e, metric=replace(e.metric, higher_is_better=None)) for e in decided.effects]
    yield replace(decided, check=bad, effects=tuple(undirected))
    yield ab(search_log(two_weeks(folder, "ABC", gap=0.0, days=3)), ["click_through"])


def interleavings():
    """Yield results: decided, undecided, unfair, graded, of three rankers and of too few users."""
    turns = [(f"u{n}", "ab" if n % 2 else "ba", [1 + n % 2]) for n in range(40)]
    decided = interleaving_result(click_credit([frame(*turns)]))
    yield decided
    yield interleaving_result(click_credit([frame(*turns)]), looks="daily", tuned_for=40, unit="session")
    yield interleaving_result(click_credit([frame(*((f"u{n}", "ab" if n % 6 else "ba", [1]) for n in range(60)))]))
    three = [(f"u{n}", ("abc", "bca", "cab")[n % 3], [1 + n % 3]) for n in range(12)]
    yield interleaving_result(click_credit([frame(*three)]), unit="search")
    of_one = [("u1", "ab" if n % 2 else "ba", [1 + n % 2]) for n in range(40)]
    yield interleaving_result(click_credit([frame(*of_one)]))
    yield interleaving_result(click_credit([frame(("u1", "ab", []))]))
    credit = replace(decided.credit, graded=True, method="balanced", left_out=dict.fromkeys(LEFT_OUT, 2))
    by_credit = FirstRank("a", "b", 20, 20, math.nan, 0.4, 0.5)
    yield replace(decided, credit=credit, first_ranks=(by_credit,))
    yield replace(decided, credit=credit, first_ranks=(replace(by_credit, p=0.00001),))
    yield replace(decided, credit=credit, first_ranks=(replace(by_credit, p=0.6),))


LEFT_OUT = ("not_interleaved", "no_rankings", "repeated_clicks", "no_team_clicks")
COUNTS = (
    "A:users=1000,queries=2000,clicks=400,clicked_users=200 B:users=1020,queries=2000,clicks=500,clicked_users=260",
    "A:users=1000,clicks=400 B:users=1300,clicks=900",
    "A:queries=9,clicks=90,reformulations=0,orders=3 B:queries=9,clicks=20,reformulations=8,orders=3",
    "A:clicks=50,reformulations=13,orders=1 B:clicks=500,reformulations=0,orders=2",
)


def plans():
    nobody, some = Design(0.001, -0.01, 0.012, 0.8, None, 5000, None), Design(0.1, 0.08, 0.12, 0.8, 400, 300, 600)
    for interleaving, ab_test, chance, method in (
        (some, Design(0.05, 0.05, 0.05, 0.7, 4000, 4000, 4000), nobody, "team_draft"),
        (some, Design(-0.05, -0.05, -0.05, 0.7, 40, 40, 40), some, "balanced"),
        (some, nobody, some, "team_draft"),
        (nobody, some, nobody, "team_draft"),
        (replace(nobody, at_least=None), some, nobody, "team_draft"),
    ):
        yield SensitivityPlan("a1", "b1", method, PlanOptions(), 30, interleaving, ab_test, chance)


def documents(folder, language):
    """Return documents of every kind."""
    users = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    agreeing = correlate({"AP": users, "RR": [*users[:6], 0.8, 0.7]}, human={"users": users})
    against = correlate({"AP": users[::-1]}, human={"users": users})
    log = search_log(two_weeks(folder))
    analysed = list(interleavings())
    return [
        *(ab_document(experiment, language) for experiment in experiments(folder)),
        ab_plan_document(plan_ab(log, ["click_through", "clicks"], effect=0.2), language),
        ab_plan_document(plan_ab(log, ["no_results"], effect=0.01), language),
        ab_plan_document(plan_ab(of_searches(folder), effect=0.2), language),
        *(counts_document(compare_counts(words.split()), language) for words in COUNTS),
        *(interleaving_document(replace(result, log=log.read), language) for result in analysed),
        *(interleaving_document(analysed[0], language, predicted) for predicted in (agreeing, against)),
        *(plan_document(plan, language) for plan in plans()),
    ]


@pytest.fixture(scope="module")
def english(tmp_path_factory):
    return documents(tmp_path_factory.mktemp("en"), "en")


def texts(document):
    """Yield every heading, sentence, caption and cell."""
    yield document.title
    for block in document.blocks:
        match block:
            case Heading():
                yield from (block.text, block.short)
            case Sentences():
                yield from (block.title, *block.sentences)
            case Table():
                yield from (block.title, *block.columns, *(cell for row in block.rows for cell in row))
            case Figure():
                yield block.caption


def numbers(text, language):
    """Return the numbers of a text, whatever their marks; 12.5 stands in what a user types."""
    marks = MARKS[language]
    written = re.findall(r"\d[\d.,]*\d|\d", re.sub(r"12[.,]5|--\S+", "", text))
    return sorted(number.replace(marks.thousands, "").replace(marks.decimal, ".") for number in written)


class Recording(dict):
    """The table of translations, which keeps what it did not find."""

    def __init__(self, table):
        super().__init__(table)
        self.missing = set()

    def get(self, template, default=None):
        if template and template not in self:
            self.missing.add(template)
        return super().get(template, default)


@pytest.mark.parametrize("language", ["es", "id"])
def test_no_english_is_left_and_the_numbers_are_the_same(english, tmp_path, monkeypatch, language):
    table = Recording(translations())
    monkeypatch.setattr(translation, "translations", lambda: table)
    translated = documents(tmp_path, language)
    assert len(translated) == len(english) > 25
    assert {text for text in table.missing if not NAMES.fullmatch(text)} == set()
    for before, after in zip(english, translated, strict=True):
        pairs = list(zip(texts(before), texts(after), strict=True))
        same = {one for one, other in pairs if one == other and not NAMES.fullmatch(one)}
        assert {text for text in same if translations().get(text, {}).get(language) != text} <= SAME
        for one, other in pairs:
            assert numbers(one, "en") == numbers(other, language), (one, other)
        assert to_screen(after, 80, 80).count("\n") > 5


def test_a_user_whose_name_is_a_word_of_a_report_is_not_translated(tmp_path):
    rows = [search(name, "AB"[n % 2], 0, AT) for n, name in enumerate(("user", "query", "exact", "mean"))]
    rows += [click("user"), click("query"), click("exact", 7)]
    document = ab_document(ab(search_log(write_log(tmp_path / "log.csv", rows)), ["click_through"]), "es")
    assert any("(el primer caso: usuario exact, búsqueda exact-7)" in text for text in texts(document))

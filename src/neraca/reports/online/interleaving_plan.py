"""The report of a plan of interleaving: how many searches each design needs."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.counts_and_lists import count
from neraca.number_format import DASH, about, exact, number, percent_level, signed, span
from neraca.online.interleaving.sensitivity import Design, SensitivityPlan
from neraca.reports.blocks.block import Block, Document, Heading, Sentences
from neraca.reports.formats.visible_text import line
from neraca.result import Table
from neraca.translation import say, say_all, written_in


def plan_document(plan: SensitivityPlan, language: str = "en") -> Document:
    """Make the blocks of the report in a language of `LANGUAGES`."""
    with written_in(language):
        a, b = line(plan.a, 40), line(plan.b, 40)
        return Document(say("Plan of interleaving: {a} and {b}", a=a, b=b), tuple(_blocks(plan)), language)


def _blocks(plan: SensitivityPlan) -> Iterator[Block]:
    yield Sentences((" ".join([_lead(plan), *_directions(plan)]),), "lead")
    yield Heading(say("Searches needed"), "plan", say("Plan"))
    yield plan_table(plan)
    yield Sentences((_chance(plan), _simulation(plan)))


def plan_table(plan: SensitivityPlan) -> Table:
    """Return the table of both designs, and of clicks by chance."""
    rows = [
        [name, signed(d.effect), span(d.low, d.high) if d.low < d.high else say("exact"), *_searches(d)]
        for name, d in ((say("interleaving"), plan.interleaving), (say("A/B test"), plan.ab))
    ]
    chance = plan.chance
    rows.append([say("clicks by chance"), signed(chance.effect), span(chance.low, chance.high), DASH, DASH])
    columns = [
        *say_all("design", "difference"),
        say("{level} interval", level=percent_level(0.95)),
        *say_all("searches", "between"),
    ]
    title = say(
        "Searches needed for {power} power at {alpha}: {a} minus {b}",
        power=percent_level(plan.options.power),
        alpha=percent_level(plan.options.alpha),
        a=line(plan.a, 30),
        b=line(plan.b, 30),
    )
    return Table(columns, rows, title, name="plan")


def _searches(design: Design) -> list[str]:
    """Write the searches needed, and their bounds from the simulation."""
    if design.searches is None:
        return [DASH, say("more than {n}", n=about(design.at_least)) if design.at_least else DASH]
    if design.at_least == design.at_most or design.at_least is None or design.at_most is None:
        return [about(design.searches), DASH]
    bounds = say("{least} and {most}", least=about(design.at_least), most=about(design.at_most))
    return [about(design.searches), bounds]


def _lead(plan: SensitivityPlan) -> str:
    a, b = line(plan.a, 40), line(plan.b, 40)
    inter, ab = plan.interleaving, plan.ab
    if inter.searches is None:
        facts = {"a": a, "b": b, "n": plan.options.searches}
        if inter.at_least:
            return say(
                "Interleaving did not tell {a} from {b} in {n:,} simulated searches: more than {least} searches are "
                "needed.",
                least=about(inter.at_least),
                **facts,
            )
        return say("Interleaving did not tell {a} from {b} in {n:,} simulated searches: no number is known.", **facts)
    facts = {"n": about(inter.searches), "better": a if inter.effect > 0 else b}
    if ab.searches is None:
        return say(
            "Interleaving needs about {n} searches to tell that users prefer {better}; an A/B test on click-through "
            "would never tell: both have the same.",
            **facts,
        )
    facts["ab"] = about(ab.searches)
    if plan.factor >= 1:
        return say(
            "Interleaving needs about {n} searches to tell that users prefer {better}; an A/B test on click-through "
            "needs about {ab}, {factor} times as many.",
            factor=number(plan.factor, 1),
            **facts,
        )
    return say(
        "Interleaving needs about {n} searches to tell that users prefer {better}; an A/B test on click-through needs "
        "about {ab}, and so fewer. That is so where one ranker often finds nothing, or nothing good: users click less "
        "on its lists, but an interleaved list has the good documents of the other one.",
        **facts,
    )


def _directions(plan: SensitivityPlan) -> Iterator[str]:
    if plan.interleaving.searches is not None and plan.interleaving.effect * plan.ab.effect < 0:
        yield say(
            "The two designs do not say the same: the ranker that wins by interleaving has the lower click-through. "
            "Decide first which of the two is what you want."
        )


def _simulation(plan: SensitivityPlan) -> str:
    clicks, options = plan.options.clicks, plan.options
    return say(
        "Simulated: {searches} of {queries} by {method}, {documents} a page, each by a user of its own. A user looks "
        "at rank r with the chance r^-{decay}, and clicks on what is seen with the chance {noise} to {best} by its "
        "grade. Your users differ: set --noise, --best and --decay to what your log says, and plan for more, because "
        "searches of one user are alike.",
        searches=count(options.searches, "search", "searches"),
        queries=count(plan.queries, "query", "queries"),
        method=plan.method,
        documents=count(options.length, "document"),
        decay=exact(clicks.decay),
        noise=exact(clicks.noise),
        best=exact(clicks.best),
    )


def _chance(plan: SensitivityPlan) -> str:
    chance = plan.chance
    facts = {"effect": signed(chance.effect), "interval": span(chance.low, chance.high)}
    if chance.searches is None:
        return say("Users who click by chance prefer nobody on these rankings: {effect} ({interval}).", **facts)
    facts["ranker"] = line(plan.a if chance.effect > 0 else plan.b, 40)
    if plan.method == "balanced":
        return say(
            "Users who click by chance would seem to prefer {ranker} on these rankings: {effect} ({interval}). One "
            "such check in twenty looks so by chance; repeat it with another --seed, or take team_draft.",
            **facts,
        )
    return say(
        "Users who click by chance would seem to prefer {ranker} on these rankings: {effect} ({interval}). One such "
        "check in twenty looks so by chance; repeat it with another --seed.",
        **facts,
    )

"""Tables of differences, for the commands that compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from neraca.cli import show
from neraca.number_format import integer, p_value, with_interval
from neraca.plain_table import cells

if TYPE_CHECKING:
    from neraca.comparisons.difference import Difference
    from neraca.metrics.metric import Metric
    from neraca.reports.sentences.parts import Finding
    from neraca.scores.scores import Scores

#: Number of columns of `difference_rows` that name the row: the metric and the pair.
NAME_COLUMNS = 2


def as_in_report(
    scores: Scores, differences: Sequence[Difference], primary: str = "", baseline: str = ""
) -> Sequence[Difference]:
    """Return the differences in the order and with the signs of a report: in each pair the better run is the first.

    If a baseline was named, it stays the second of each pair.
    """
    from neraca.comparisons.compare import primary_of
    from neraca.reports.blocks.run_summary import pairs_best_first

    if not differences or (baseline and len(scores.runs) == 2):
        return differences
    return pairs_best_first(scores, differences, str(primary_of(scores.metrics, primary)))


def title_of_tests(differences: Sequence[Difference], metrics: Sequence[Metric], primary: str = "") -> str:
    """Return the title of a table of paired tests: the tests, and how many differences are corrected together."""
    from neraca.translation import say

    counts = corrected_together(differences, metrics, primary)
    return say("paired {tests} test of {differences}", tests=tests_of(differences), differences=counts)


def tests_of(differences: Sequence[Difference]) -> str:
    """Return the test and its variant; several variants if some pairs have too many items for an exact p."""
    return ", ".join(sorted({difference.test for difference in differences}))


def corrected_together(differences: Sequence[Difference], metrics: Sequence[Metric], primary: str = "") -> str:
    """Count the differences that are corrected together, and name the correction.

    The differences in the primary metric, in the other metrics and in diagnostics are corrected each by themselves.
    """
    from neraca.comparisons.compare import primary_of
    from neraca.comparisons.pair import families_of
    from neraca.counts_and_lists import count
    from neraca.metrics.metric import Metric
    from neraca.reports.sentences.parts import correction_words
    from neraca.translation import say

    first, correction = primary_of(metrics, primary), differences[0].correction
    families = families_of([Metric.of(difference.metric) for difference in differences], str(first))
    titles = (str(first), say("the other metrics"), say("diagnostics"))
    groups = [(len(places), title) for places, title in zip(families, titles, strict=True) if places]
    if len(groups) < 2 or correction in ("none", "tukey"):
        n_differences = count(len(differences), "difference")
        if correction == "none":
            return say("{differences}, no correction", differences=n_differences)
        return say("{differences}, {correction}", differences=n_differences, correction=correction_words(correction))
    (n, title), *others = groups
    return say(
        "{differences} in {metric} and {others}, each group corrected by itself ({correction})",
        differences=count(n, "difference"),
        metric=title,
        others=say(" and ").join(say("{n} in {title}", n=more, title=title) for more, title in others),
        correction=correction_words(correction),
    )


def show_differences(
    title: str, differences: Sequence[Difference], level: float, wide: bool, finding: Finding | None = None
) -> None:
    """Print differences as a table, and below it how the intervals were made and what counts as a win."""
    from neraca.reports.sentences.interval_words import beside_differences

    letters = {} if wide else letters_of_runs(differences, show.screen_width(), finding)
    columns, rows = difference_rows(differences, 1 - level, letters)
    show.table(with_legend(title, letters), columns, rows, names=NAME_COLUMNS, wide=wide)
    show.print_sentences(*beside_differences(differences))


def letters_of_runs(differences: Sequence[Difference], width: int, finding: Finding | None = None) -> dict[str, str]:
    """Return run → letter if the names of some pair take over half of a line; else {}.

    If the finding has a table of many runs, the letters are in its order.
    """
    names = list(dict.fromkeys(name for difference in differences for name in (difference.a, difference.b)))
    if finding and finding.standings:
        from neraca.reports.sentences.standings import runs_of

        names = runs_of(finding.standings)
    longest = max((cells(f"{d.metric}  {d.a} − {d.b}") for d in differences), default=0)
    from neraca.reports.sentences.standings import letters_of

    return letters_of(names) if 2 * longest > width else {}


def with_legend(title: str, letters: Mapping[str, str]) -> str:
    """Return the title of a table, and below it which run each letter stands for.

    >>> print(with_legend("two runs", {"new.run": "A"}))
    two runs
    A  new.run
    """
    return "\n".join([title, *(f"{letter}  {name}" for name, letter in letters.items())])


def difference_rows(
    differences: Sequence[Difference], alpha: float = 0.05, letters: Mapping[str, str] = {}
) -> tuple[list[str], list[list[str]]]:
    """Return differences as a table: names of the columns, and rows of text; `letters` stand for names of runs.

    A statistic that is the difference itself is left out.  The questions needed are printed only for t-tests.
    """
    from neraca.reports.sentences import margin as sentences_margin
    from neraca.reports.sentences.parts import have_statistics, statistic_words, tests_need
    from neraca.translation import say, say_all

    has_margins, has_needs = any(d.equivalence for d in differences), tests_need(differences)
    has_statistics = have_statistics(differences)
    columns = [*say_all("metric", "a − b", "difference", "interval"), *(say_all("statistic") if has_statistics else ())]
    columns += say_all("p", "p adjusted", "effect", "wins/ties/losses", "n")
    columns += [*(say_all("n needed (t)") if has_needs else ()), *(say_all("within the margin") if has_margins else ())]
    rows = [
        [
            d.metric,
            f"{letters.get(d.a, d.a)} − {letters.get(d.b, d.b)}",
            show.number(d.difference),
            d.interval,
            *([statistic_words(d, show.number)] if has_statistics else []),
            p_value(d.p, alpha),
            p_value(d.p_adjusted, alpha) if d.tested else say("no test"),
            with_interval(show.number(d.effect, 2), show.span(d.effect_low, d.effect_high, 2)),
            f"{d.wins}/{d.ties}/{d.losses}",
            integer(d.n),
            *(["–" if d.needed is None else integer(d.needed)] if has_needs else []),
            *([sentences_margin.cell(d, alpha)] if has_margins else []),
        ]
        for d in differences
    ]
    return columns, rows

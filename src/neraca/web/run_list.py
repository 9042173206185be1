"""The list of runs: filtered, by study and phase, with one metric and its interval in each row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from markupsafe import Markup

from neraca.counts_and_lists import count, listed
from neraca.metrics.metric import Metric
from neraca.number_format import dollars
from neraca.reports.blocks.metric_rows import best_places
from neraca.reports.figures.svg import bounds, segment, share
from neraca.reports.figures.version_plot import Version, are_numbered, version_plot
from neraca.reports.formats.write import FORMATS
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.runs.study_record import RunTotal
from neraca.web.choices import Choice, Option
from neraca.web.measures import labels_of, limits_of
from neraca.web.run_entry import Entry
from neraca.web.run_index import RunIndex
from neraca.web.study_places import StudyPlace

#: Runs on one page of the list; most tags to choose from; most runs in a chart of versions.
PER_PAGE, TAGS, VERSIONS = 100, 200, 40
SUFFIXES = tuple(suffix for suffix in FORMATS if suffix != ".htm")
STATES = ("finished", "being asked", "not finished", "with a problem")


class RunRow(NamedTuple):
    """A run in the list.

    Its metric, with the label for readers, its value (under a study the one in the report) and drawn interval, whether
    its study chose it, and its cost in words.
    """

    run: Entry
    metric: str
    label: str
    total: RunTotal | None
    drawing: Markup
    chosen: bool
    cost: str
    cost_parts: str


@dataclass(frozen=True)
class RunPart:
    """A part of the list: a phase of a study, or a folder.

    Attributes
    ----------
    study, phase
        The names of the study and phase; "" outside studies.
    title
        The folder of the runs outside studies.
    metric, label
        The metric of all rows and its label; "" if they differ.
    note
        The primary metric of the phase, and what was chosen.
    links
        (label, address) of reports and figures of the phase; `study_links` are those of the whole study.
    rows
        The runs on this page.
    parameters
        The canonical names of shown metrics whose labels leave out parameters, as a sentence; or "".
    cautions
        Sentences on values that are not, or no longer, those of the study's report.
    chart
        The metric of the runs on the same questions, the oldest first; "" if there are not two.
    chart_key
        The runs of the chart in its order, if it has numbers instead of their names.
    selection
        All runs of this part, as the query string of an address.
    """

    study: str
    phase: str
    title: str
    metric: str
    label: str
    note: str
    links: Sequence[tuple[str, str]]
    study_links: Sequence[tuple[str, str]]
    rows: Sequence[RunRow]
    parameters: str
    cautions: Sequence[str]
    chart: Markup
    chart_label: str
    chart_key: Sequence[str]
    selection: str


def list_view(index: RunIndex, filters: dict[str, str], page: int, metric: str = "") -> dict[str, Any]:
    """Return the values for the template of the list of runs; with `metric`, every row shows this one."""
    metric = "" if metric == index.primary else metric  # every row shows the primary metric anyway
    entries = index.entries()
    waiting = sum(entry.waits for entry in entries)  # of these entries: by now others may be scored
    matches = [entry for entry in entries if _matches(entry, filters)]
    pages = max(1, math.ceil(len(matches) / PER_PAGE))
    page = min(max(1, page), pages)
    chosen = {name: value for name, value in {**filters, "metric": metric}.items() if value}
    parts = _parts(index, matches)
    choices = _choices(entries, filters)
    all_metrics = dict.fromkeys(name for entry in entries for name in entry.metrics)
    labels = labels_of(filter(None, [index.primary, *all_metrics]))
    by_metric = Choice(
        "metric", "Metric", [Option(name, labels[name]) for name in all_metrics if name != index.primary], metric,
        "No run has the metric {}.", labels[index.primary] if index.primary else "the primary one of each run",
    )  # fmt: skip
    return {
        "asked": filters,
        "parts": _drawn(index, parts, (page - 1) * PER_PAGE, metric),
        "total": len(matches),
        "total_all": len(entries),
        "choices": [*choices, by_metric],
        "notes": [choice.note for choice in (*choices, by_metric) if choice.note],
        "suffixes": SUFFIXES,
        "primary": metric,
        "page": page,
        "pages": pages,
        "earlier": f"/?{urlencode(chosen | {'page': page - 1})}" if page > 1 else "",
        "later": f"/?{urlencode(chosen | {'page': page + 1})}" if page < pages else "",
        "waiting": waiting,
        "live": bool(waiting or any(entry.live for entry in entries)),
    }


def _choices(entries: Sequence[Entry], filters: dict[str, str]) -> list[Choice]:
    folders = {entry.folder for entry in entries} - {""}
    tags = {tag for entry in entries for tag in entry.tags}
    listed = set(sorted(tags)[:TAGS]) | tags & {filters["tag"]}
    states = [Option(state, state) for state in STATES]
    return [
        Choice("folder", "Folder", _options(folders), filters["folder"], "No run is in the folder {}."),
        Choice("tag", "Tag", _options(listed), filters["tag"], "No run has the tag {}."),
        Choice("state", "State", states, filters["state"], "No state is called {}."),
    ]


def _options(values: Iterable[str]) -> list[Option]:
    return [Option(value, value) for value in sorted(values)]


def _matches(entry: Entry, filters: dict[str, str]) -> bool:
    text = " ".join((entry.path, entry.dataset, *entry.metrics, *entry.tags)).casefold()
    return (
        all(word in text for word in filters["q"].casefold().split())
        and filters["folder"] in ("", entry.folder)
        and (not filters["tag"] or filters["tag"] in entry.tags)
        and filters["state"] in ("", _state(entry))
    )


def _state(entry: Entry) -> str:
    if entry.problem:
        return STATES[3]
    return STATES[0] if entry.finished else STATES[1] if entry.live else STATES[2]


def _parts(index: RunIndex, entries: Sequence[Entry]) -> list[list[Entry]]:
    """Group runs by study and phase, or by folder: the group with the newest run first, phases in their order."""
    groups: dict[tuple[str, bool], dict[int, list[Entry]]] = {}
    for entry in entries:  # the newest first, so that groups are in the order of their newest runs
        place = index.place(entry.path)
        key = (place.folder, True) if place else (entry.folder, False)
        groups.setdefault(key, {}).setdefault(place.phase_number if place else 0, []).append(entry)
    parts = []
    for phases in groups.values():
        for _, group in sorted(phases.items()):
            parts.append(sorted(group, key=lambda entry: _number_in_phase(index, entry)))
    return parts


def _number_in_phase(index: RunIndex, entry: Entry) -> int:
    """Return the number of a run in its phase; 0 outside studies."""
    place = index.place(entry.path)
    return place.run_number if place else 0


class _Names(NamedTuple):
    """The metric that every row of a part shows ("": the primary one of each run), and the labels of its metrics."""

    metric: str
    labels: MetricLabels

    @classmethod
    def in_part(cls, index: RunIndex, entries: Sequence[Entry], metric: str) -> _Names:
        """Return the names in a part of the list with these runs."""
        places = (index.place(entry.path) for entry in entries)
        of_phases = (place.phase.primary for place in places if place)
        names = [metric, *of_phases, *(name for entry in entries for name in entry.metrics)]
        return cls(metric, labels_of(filter(None, names)))

    def of(self, entry: Entry) -> str:
        """Return the metric that the row of a run shows; "" if the run has none yet."""
        return self.metric or entry.primary

    def label(self, metric: str) -> str:
        """Return the label of a metric; "" for none."""
        return self.labels[metric] if metric else ""


def _drawn(index: RunIndex, parts: Sequence[Sequence[Entry]], start: int, metric: str) -> list[RunPart]:
    """Return the parts of which a run is on this page, whose first run has the number `start`."""
    drawn: list[RunPart] = []
    passed = 0
    for part in parts:
        on_page = part[max(0, start - passed) : max(0, start + PER_PAGE - passed)]
        passed += len(part)
        if on_page:
            drawn.append(_part(index, part, on_page, metric, drawn[-1].study if drawn else ""))
    return drawn


def _part(index: RunIndex, entries: Sequence[Entry], on_page: Sequence[Entry], metric: str, before: str) -> RunPart:
    """Return one part of the list; the study's name stands only where the part before it is of another study."""
    place = index.place(entries[0].path)
    selection = urlencode([("run", entry.path) for entry in entries if not entry.problem][:50])
    names = _Names.in_part(index, entries, metric)
    rows = _rows(index, entries, on_page, names)
    shown = dict.fromkeys(row.metric for row in rows if row.metric)
    parameters = names.labels.parameters_line(shown or [""])
    of_all = next(iter(shown)) if len(shown) == 1 else ""
    label = names.label(of_all)
    if place is None:
        drawn = _chart(index, entries, names, entries[0].folder or "runs")
        return RunPart("", "", entries[0].folder, of_all, label, "", (), (), rows, parameters, (), *drawn, selection)
    study, phase = place.study, place.phase
    note = f"by {names.label(phase.primary)}" if phase.primary else ""
    note += f", chosen: {phase.chosen}" if phase.chosen else ""
    links = [(_label(file), _address(place.folder, file)) for file in phase.files if file.endswith(".html")]
    study_links = [(_label(file), _address(place.folder, file)) for file in study.files if file.endswith(".html")]
    return RunPart(
        study.name, phase.title or phase.name, entries[0].folder, of_all, label, note.removeprefix(", "), links,
        [("final report", address) for _, address in study_links] if study.name != before else (),
        rows, parameters, list(_cautions(index, place, entries, rows)), Markup(""), "", (), selection,
    )  # fmt: skip


def _cautions(index: RunIndex, place: StudyPlace, entries: Sequence[Entry], rows: Sequence[RunRow]) -> Iterator[str]:
    """Say which values of a phase are not in its report, and which runs have changed since it was made."""
    phase = place.phase
    alone = [row for row in rows if row.total and row.metric not in phase.totals.get(_run_of(index, row.run), {})]
    if alone and phase.files:
        names = listed([row.run.name for row in alone]) if len(alone) < len(rows) else "each run"
        yield (
            f"The report of the phase does not have these values: they are of {names} alone. If its runs found "
            "different relevant documents, the report has other values, because it pools them."
        )
    folder = index.folder / place.folder
    changed = [entry.name for entry in entries if phase.has_changed(folder, _run_of(index, entry))]
    if changed:
        yield (
            f"Answers or verdicts have changed since the report was made: {listed(changed)}. Run the study again: "
            "that renews the report and these values."
        )


def _run_of(index: RunIndex, entry: Entry) -> str:
    """Return the name of a run in the record of its phase; "" outside studies."""
    place = index.place(entry.path)
    return place.phase.runs[place.run_number] if place else ""


def _total(index: RunIndex, entry: Entry, metric: str) -> RunTotal | None:
    """Return the value of a run in the report of its phase, which pools what runs found, or else of the run alone."""
    place = index.place(entry.path)
    pooled = place.phase.totals.get(_run_of(index, entry), {}).get(metric) if place else None
    return pooled or entry.metrics.get(metric)


def _label(file: str) -> str:
    return "rating page" if file.endswith("rating.html") else "its report"


def _address(folder: str, file: str) -> str:
    return "/study/" + quote("/".join(filter(None, (folder, file))))


def _stated(entries: Iterable[Entry]) -> dict[str, tuple[float, float]]:
    """Return the ranges of metrics that some runs state; of several, the widest."""
    widest: dict[str, tuple[float, float]] = {}
    for entry in entries:
        for name, (low, high) in entry.limits.items():
            other_low, other_high = widest.get(name, (low, high))
            widest[name] = min(low, other_low), max(high, other_high)
    return widest


def _rows(index: RunIndex, entries: Sequence[Entry], on_page: Sequence[Entry], names: _Names) -> list[RunRow]:
    """Return the rows; the intervals of a metric share an axis in all runs of the part."""
    axes: dict[str, tuple[float, float]] = {}
    for entry in entries:
        name = names.of(entry)
        if name and name not in axes:
            totals = [total for other in entries if (total := _total(index, other, name))]
            values = [x for total in totals for x in (total.value, total.low, total.high) if x is not None]
            axes[name] = bounds(values, *limits_of(name, values, _stated(entries)))
    rows = []
    for entry in on_page:
        name = names.of(entry)
        total = _total(index, entry, name)
        place = index.place(entry.path)
        chosen = place is not None and place.phase.chosen == _run_of(index, entry)
        rows.append(
            RunRow(entry, name, names.label(name), total, _interval(total, axes.get(name)), chosen, *_cost(entry))
        )
    return rows


def _interval(total: RunTotal | None, axis: tuple[float, float] | None) -> Markup:
    """Draw the value and its interval; the cell has the same numbers as text."""
    if total is None or axis is None or total.value is None:
        return Markup("")
    parts = []
    if total.low is not None and total.high is not None:
        parts.append(segment(share(total.low, *axis), 5, share(total.high, *axis), 5, "bar"))
    parts.append(f'<circle class="dot" cx="{share(total.value, *axis)}" cy="5" r="3.5"/>')
    return Markup(f'<svg class="mini" aria-hidden="true" width="100%" height="10">{"".join(parts)}</svg>')


def _cost(entry: Entry) -> tuple[str, str]:
    """Return what the run cost, and what of it the judges and the target did; "" if nothing is known."""
    costs = [cost for cost in (entry.judging, entry.cost) if cost is not None]
    unknown = f"{count(entry.costless, 'answer')} without a cost" if entry.costless else ""
    more = " or more" if unknown else ""
    if not entry.metrics or (entry.cost is None and entry.judging == 0):
        return ("", "") if entry.cost is None else (f"{dollars(entry.cost)}{more}", unknown)
    target = "target not known" if entry.cost is None else f"target {dollars(entry.cost)}"
    judges = "judges not known" if entry.judging is None else f"judges {dollars(entry.judging)}"
    total = dollars(sum(costs)) if costs else ""
    more = more or (" or more" if len(costs) < 2 else "")
    return (f"{total}{more}" if total else ""), ", ".join(filter(None, (judges, target, unknown)))


def _chart(index: RunIndex, entries: Sequence[Entry], names: _Names, name: str) -> tuple[Markup, str, list[str]]:
    """Draw the metric over the versions of a system: the newest run and the older ones on the same questions.

    Returns the drawing, the label of the metric, and the names of the runs if the drawing has numbers instead.
    """
    newest = next((entry for entry in entries if entry.metrics.get(names.of(entry))), None)
    if newest is None:
        return Markup(""), "", []
    metric, questions = names.of(newest), newest.fingerprint
    series = [entry for entry in entries if entry.fingerprint == questions and entry.metrics.get(metric)]
    series = sorted(series, key=lambda entry: entry.started)[-VERSIONS:]
    if len(series) < 2:
        return Markup(""), "", []
    versions = []
    for entry in series:
        total = entry.metrics[metric]
        value, low, high = (math.nan if x is None else x for x in (total.value, total.low, total.high))
        versions.append(Version(entry.name, entry.started[:10], value, low, high))
    place = "".join(letter if letter.isalnum() else "-" for letter in name)
    title = f"{names.label(metric)} over the versions in {name}"
    joined = not index.were_compared([entry.path for entry in series])
    limits = limits_of(
        metric, (x for version in versions for x in (version.value, version.low, version.high)), _stated(series)
    )
    best = best_places([version.value for version in versions], Metric.of(metric))
    drawing = version_plot(f"versions-{place}", title, names.label(metric), versions, limits, joined=joined, best=best)
    names_of_runs = [version.name for version in versions]
    return Markup(drawing), names.label(metric), names_of_runs if are_numbered(names_of_runs) else []

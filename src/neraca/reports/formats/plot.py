"""Figures of results for a notebook and for a file: `plot()` of scores, comparisons, reports and experiments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neraca.comparisons.compare import primary_of
from neraca.comparisons.difference import Difference
from neraca.errors import SpecError
from neraca.files import write_atomic
from neraca.metrics.metric import Metric
from neraca.nearest import nearest
from neraca.reports.blocks.block import Document
from neraca.reports.figures.figures import Picture, standalone_picture
from neraca.reports.figures.paper_figures import Subject, effects_figure, paper_figure
from neraca.reports.formats.write import FIGURES, draw
from neraca.scores.scores import Scores
from neraca.translation import written_in


@dataclass(frozen=True)
class Plot:
    """A figure that a notebook shows, and that can be saved."""

    picture: Picture

    def _repr_svg_(self) -> str:
        """Return the drawing, for Jupyter and other notebooks."""
        return self.picture.svg

    def __repr__(self) -> str:
        return f"Plot({self.picture.caption!r}); show it in a notebook, or save('figure.pdf')"

    def save(self, path: Path | str) -> None:
        """Write the figure as .svg, .pdf or .png; a browser prints the last two, as `neraca browser` does."""
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in FIGURES:
            raise SpecError(f"{path}: a figure ends in {', '.join(FIGURES)}; {nearest(suffix, FIGURES)}")
        content = draw(self.picture, suffix)
        write_atomic(path, content.encode() if isinstance(content, str) else content)


def plot_scores(scores: Scores, kind: str, metric: str, differences: Sequence[Difference], language: str) -> Plot:
    """Draw a figure of one of `paper_figures.KINDS` about a metric, by default the one that decides."""
    with written_in(language):
        chosen = scores.name_of(metric) if metric else str(primary_of(scores.metrics))
        return Plot(paper_figure(Subject(scores, differences, chosen), kind))


def plot_differences(differences: Sequence[Difference], metric: str, language: str) -> Plot:
    """Draw the differences of a metric, by default of the first, with their intervals."""
    if not differences:
        raise SpecError("there is no difference to draw; compare two runs")
    with written_in(language):
        return Plot(effects_figure(differences, str(Metric.of(metric)) if metric else differences[0].metric))


def plot_document(document: Document) -> Plot:
    """Return the first figure of a report of another kind; raise `SpecError` if it has none."""
    if not document.figures:
        raise SpecError("this result has no figure")
    return Plot(standalone_picture(document.figures[0]))

"""Properties of texts that change the values of metrics by how they are read, counted by answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import RunGroup, Scorable, constant
from neraca.metrics.text.normalize import composed, digit_scripts, has_marks, normal_form
from neraca.metrics.text.ter import is_unspaced
from neraca.scores.scores import RunScores

#: Values that differ by more than this are told.
LEAST = 0.05


def with_text_facts(run: RunScores, part: Scorable, metrics: Iterable[Metric]) -> RunScores:
    """Add to the facts of a run how many of its answers each way of reading texts matters for.

    `marks`: one side alone has signs of vowels or tatweel.  `form METRIC`: in NFKC the value would differ by more than
    `LEAST`.  `unspaced METRIC`: texts in a script without spaces are read as hardly any words.
    `not_arabic`: the language is Arabic, and no letter is.
    `digits`: one side has digits such as ٢٠١٥, the other such as 2015.
    """
    texts = list(zip(part.column("response"), part.column("references"), strict=True))
    facts = {
        "marks": sum(_marks_differ(response, references) for response, references in texts),
        "not_arabic": sum(
            _lacks_arabic(code, response, references)
            for code, (response, references) in zip(part.column("language", ""), texts, strict=True)
        ),
        "digits": sum(_digits_differ(response, references) for response, references in texts),
    }
    inner = {str(each): each for metric in metrics for each in metric.with_inner() if each.built_in}
    for name, metric in inner.items():
        if metric.settings.get("norm") == "nfc":
            facts[f"form {name}"] = _count_changed(metric, part, texts)
        if metric.spec.name in ("TER", "CorpusTER"):
            facts[f"unspaced {name}"] = sum(_is_unspaced(metric, *row) for row in texts)
    return replace(run, facts={**run.facts, **facts})


def _has_text(texts: Iterable[str]) -> bool:
    return any(text and not text.isspace() for text in texts)


def _marks_differ(response: str, references: Sequence[str]) -> bool:
    """Whether one side alone has signs of vowels or tatweel, and both have a text."""
    if response.isascii() and all(map(str.isascii, references)):
        return False
    return _has_text((response,)) and _has_text(references) and has_marks(response) != any(map(has_marks, references))


def _lacks_arabic(language: str, response: str, references: Sequence[str]) -> bool:
    """Whether a row in Arabic has letters but no Arabic one, as if the file was read in a wrong encoding."""
    if language.partition("-")[0] != "ar":
        return False
    letters = [letter for text in (response, *references) for letter in text if letter.isalpha()]
    return bool(letters) and not any("\u0600" <= letter <= "\u06ff" or letter >= "\ufb50" for letter in letters)


def _digits_differ(response: str, references: Sequence[str]) -> bool:
    """Whether no reference has digits of the same scripts as the response, and both sides have digits."""
    if response.isascii() and all(map(str.isascii, references)):
        return False
    of_response = digit_scripts(response)
    of_references = [scripts for scripts in map(digit_scripts, references) if scripts]
    return bool(of_response and of_references) and of_response not in of_references


def _count_changed(metric: Metric, part: Scorable, texts: Sequence[tuple[str, Sequence[str]]]) -> int:
    """Count the answers whose value changes in NFKC; only answers with such characters are scored."""
    nfkc = normal_form("nfkc")

    def changes(text: str) -> bool:
        return not text.isascii() and nfkc(text) != composed(text)

    rows = [row for row, (response, references) in enumerate(texts) if any(map(changes, (response, *references)))]
    if not rows:
        return 0
    columns = {name: constant([part.column(name, "")[row] for row in rows]) for name in ("response", "language")}
    columns["references"] = constant([texts[row][1] for row in rows])
    chosen = Scorable(part.name, len(rows), columns)
    RunGroup([chosen], part.group.language)
    changed = score_metric(Metric.of(str(metric), norm="nfkc"), chosen).per_answer
    differences = np.abs(changed - score_metric(metric, part).per_answer[rows])
    return int((differences > LEAST).sum())  # where there is no value there is no difference


def _is_unspaced(metric: Metric, response: str, references: Sequence[str]) -> bool:
    how = {name: metric.settings[name] for name in ("normalized", "no_punct", "asian", "case")}
    return any(not text.isascii() and is_unspaced(text, **how) for text in (response, *references))

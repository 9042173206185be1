"""Reasons in the language of a report: why an answer has no score, what decided a verdict, which check failed.

They are written in English by other rooms; verdicts and tables for programs keep them so.
"""

from __future__ import annotations

import re
from functools import cache

from neraca.number_format import localised
from neraca.scores.failed_checks import failed_of_answer
from neraca.scores.scores import RunScores
from neraca.scores.sources.answer_records import AnswerRecord
from neraca.translation import language, say, translations
from neraca.verdicts.raters import TOGETHER
from neraca.verdicts.source import is_human

#: What the judge writes about a constraint, with the parts that differ; a template that says more stands before others.
TEMPLATES = (
    "no coordinates",
    "{distance} km from {place}, allowed {allowed} km",
    "{fields} does not contain {words}",
    "{fields} do not contain {words}",
    "{field} contains {words}",
    "{field} is a table",
    "name a field inside it, as {example}",
    "{field} {value} is within {low} to {high}, with tolerance {least} to {most}",
    "{field} {value} is outside {low} to {high}, with tolerance {least} to {most}",
    "{field} {value} is within {low} to {high}",
    "{field} {value} is outside {low} to {high}",
    "{field} {value} is at least {bound}, with tolerance {widened}",
    "{field} {value} is below {bound}, with tolerance {widened}",
    "{field} {value} is at most {bound}, with tolerance {widened}",
    "{field} {value} is above {bound}, with tolerance {widened}",
    "{field} {value} is at least {bound}",
    "{field} {value} is below {bound}",
    "{field} {value} is at most {bound}",
    "{field} {value} is above {bound}",
    "{field} {value} is about {wanted} ({low} to {high})",
    "{field} {value} is not about {wanted} ({low} to {high})",
    'say the language: [dataset] language = "en" (or --language en)',
    "say which: language = {words}",
    '{field}: "{text}" may be {words} in {language}',
    '{field}: "{text}" is {words} in {language} and no number in {other}',
    '{field}: "{text}" is {words} in {language} and {wanted} in {other}',
    '{field}: "{text}" is {words} in {language}, or something else',
    "{field} is {value}, as wanted",
    "{field} is {value}, which counts as {wanted}",
    "{field} is {value}, not one number",
    "{field} is {value}, wanted {wanted}",
    "{field}: {value}, wanted {wanted}",
    "no {fields}",
)
#: What is written about a check that an answer does not meet, in the same way.
CHECK_TEMPLATES = (
    "there is no answer ({status})",
    "there is no answer",
    "{values} is not there (but with other capitals; icontains takes it)",
    "{values} is not there (only inside a longer number)",
    "{values} is not there, nor any number",
    "{values} is not there",
    "{values} is there",
    "{values} is not the answer",
    "{values} is the answer",
    "{values} is not its beginning",
    "{values} is its beginning",
    "{values} matches nothing",
    "{values} matches",
    "{values} is not among its numbers ({numbers})",
    "{values} is not cited",
    "it cites no source",
    "it has {n} words, more than {limit}",
    "it has {n} words, fewer than {limit}",
    "it is no JSON ({error})",
    "there is no JSON in it",
    "{place} is {value}, not of type {types}",
    "{place} is {value}, not one of {allowed}",
    "{place} is {value}, not more than {bound}",
    "{place} is {value}, not less than {bound}",
    "{place} is {value}, less than {bound}",
    "{place} is {value}, more than {bound}",
    "{place} is {value}, no multiple of {bound}",
    "{place} is {value}, which does not match {pattern}",
    "{place} is {value}, not {constant}",
    "{place} has length {n}",
    "{place} has {n} fields",
    "{place} has no field {name}",
    "{place} holds a value twice",
    "{place} is not allowed",
    "{place} is nested too deeply",
    "{place} fits none of anyOf",
    "{place} fits {n} of oneOf, not one",
    "{place} fits what it must not",
)
#: Kind of source → its name in a sentence.
SOURCES_IN_WORDS = {"human": "people", "llm": "models", "embed": "embeddings"}
#: Languages of numbers whose names are translated.
LANGUAGES_OF_NUMBERS = ("English", "Indonesian", "Spanish", "Arabic")
#: The value behind the name of a rater.
_RATING = re.compile(r"(?<= )-?\d+\.\d+(?=,|$)")
_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?!\w)")


#: Why a value is missing or not corrected or who combined it, as other rooms write it with parts that differ.
REASONS = (
    "nobody judged it: {aspect}",
    "{judge} did not judge it: {aspect}",
    "nobody judged its conversation: {aspect}",
    "{judge} did not judge its conversation: {aspect}",
    "nobody judged whether it answers",
    "{judge} did not judge whether it answers",
    "nobody judged its contexts",
    "{judge} did not judge its contexts",
    "nobody judged the claims of {side}",
    "{judge} did not judge the claims of {side}",
    "nobody judged what stands in the corpus",
    "{judge} did not judge what stands in the corpus",
    "nobody judged whether it declines",
    "{judge} did not judge whether it declines",
    "the target gave no answer, and nobody judged that",
    "reference {number}: {reason}",
    "not applicable: {reason}",
    "missing: {reason}",
    "withdrawn: {reason}",
    "{rule} of {raters} raters, which is level: {values}",
    "{rule} of {raters} raters: {values}",
    "as many say yes as no: {values}",
    "it is no mean of the questions",
    "nothing in it is for people to say",
    "no question is labelled in full",
    "{count} labelled; the interval holds from {least}",
    "{n} of the strata have fewer than two labels",
    "the sample gives no chance for {n} of the questions; plan again",
    "the labels show no chance: all of them differ from the judge by the same",
    "rogan-gladen is of values that are 0 or 1; use ppi",
    "rogan-gladen needs questions that people decide, and some need none; use ppi",
    "by these labels the judge is no better than chance, or all labels are the same",
    "drawn with chances of their own, fewer than {least} labels give too narrow an interval",
    "all but {n} labels are the same, so that the interval may be too narrow; label more",
    "1 observation; an interval takes at least {least}",
    "{n} observations; an interval takes at least {least}",
)


def reason(why: str) -> str:
    """Return a reason that another room gave in the language of the report; a part that is not known stays English.

    >>> from neraca.translation import written_in
    >>> with written_in("id"):
    ...     reason("nobody judged it: quality"), reason("mean of 2 raters: ana 4.5, budi 3")
    ('tidak ada yang menilainya: quality', 'rata-rata dari 2 penilai: ana 4,5, budi 3')
    """
    if language() == "en" or not why:
        return why
    return translations().get(why, {}).get(language(), "") or _translated(why, REASONS)


def verdict_reason(by: str, why: str) -> str:
    """Return why a verdict is as it is, after its status if it has no value; the words of people and models stay.

    >>> from neraca.translation import written_in
    >>> with written_in("id"):
    ...     verdict_reason("rules", "missing: no floors"), verdict_reason("human:ana", "no floors")
    ('hilang: tidak ada floors', 'no floors')
    """
    status, colon, words = why.partition(": ")
    if by == "rules" and status in ("missing", "not applicable", "withdrawn"):
        return f"{say(status)}{colon}{rule_reason(words)}"
    return rule_reason(why) if by == "rules" else reason(why) if by == TOGETHER else why


def source_words(by: str) -> str:
    """Return who decided, in the language of the report; names of models stay as they are.

    >>> from neraca.translation import written_in
    >>> source_words("human:ana"), source_words("human")
    ('human:ana', 'people')
    >>> with written_in("es"):
    ...     source_words("human:all raters"), source_words("human:ana"), source_words("rules")
    ('todos los evaluadores', 'ana', 'reglas')
    """
    if by == TOGETHER:
        return say("human:{name}", name=say("all raters"))
    if is_human(by) and ":" in by:
        return say("human:{name}", name=by.partition(":")[2])
    return say(SOURCES_IN_WORDS.get(by, by))


def rule_reason(why: str) -> str:
    """Return a reason of the judge `rules` in the language of the report; a part that is not known stays English.

    >>> from neraca.translation import written_in
    >>> with written_in("id"):
    ...     rule_reason("price 54,000,000 is above 1,500,000; no floors")
    'price 54.000.000 di atas 1.500.000; tidak ada floors'
    """
    if language() == "en" or not why:
        return why
    return "; ".join(_translated(part, TEMPLATES) for part in why.split("; "))


def check_reason(failure: str) -> str:
    """Return a failed check, `column: reason`, with the reason in the language of the report.

    >>> from neraca.translation import written_in
    >>> with written_in("es"):
    ...     check_reason("max_words: it has 25 words, more than 20")
    'max_words: tiene 25 palabras, más de 20'
    """
    column, colon, why = failure.partition(": ")
    return failure if language() == "en" else f"{column}{colon}{_translated(why, CHECK_TEMPLATES)}"


def note_of(record: AnswerRecord, run: RunScores) -> str:
    """Return the note on an answer with its failed checks; of an absent one, what it counts as."""
    if record.absent and run.left_out is not None:
        return say("The run has no line for this topic, which is left out of its means")
    if record.absent:
        return say("The run has no line for this topic, which counts as 0, as with trec_eval -c")
    return "; ".join(filter(None, (record.answer.note, *map(check_reason, failed_of_answer(run, record.row)))))


def _translated(text: str, templates: tuple[str, ...]) -> str:
    for template, pattern in _patterns(templates):
        if match := pattern.fullmatch(text):
            return say(template, **{name: _value(name, value) for name, value in match.groupdict().items()})
    return text


def _value(name: str, text: str) -> str:
    """Return a part with its numbers and the words between its parts in the language of the report."""
    if name in ("status", "rule", "side", "language", "other"):
        return say(text)
    if name == "reason":
        return reason(text)
    if name == "values" and '"' not in text:  # names of raters, each with a value
        return _RATING.sub(lambda match: localised(match[0]), text)
    if name == "values":  # two quoted values, of which one is enough
        return text.replace('" or "', f'" {say("or")} "')
    if name in ("fields", "words", "wanted", "types"):
        for word in ("and", "or"):
            text = f" {say(word)} ".join(text.split(f" {word} "))
    as_written = name in ("numbers", "text")  # as they stand in the answer or in a field
    return _NUMBER.sub(lambda match: localised(match[0]), text) if _NUMBER.match(text) and not as_written else text


@cache
def _patterns(templates: tuple[str, ...]) -> list[tuple[str, re.Pattern[str]]]:
    """Return each template with the pattern of the texts that it makes."""
    return [
        (template, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(template)), re.DOTALL))
        for template in templates
    ]

"""Write the page on which people rate: one file with style, script and data inside."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from msgspec.structs import replace

from neraca.errors import SpecError
from neraca.people.pair_task import PairTask
from neraca.people.quality_scale import HIGHEST, parse_grades, parse_scale, values_of
from neraca.people.rating import Rating
from neraca.people.rating_task import RatedHit, RatingTask

FOLDER = Path(__file__).with_name("rating_page")
SCRIPTS = ("cards_hit.js", "cards_answer.js", "cards_pair.js", "cards_review.js", "table.js", "disk.js", "page.js")
STYLES = ("page.css", "cards.css")
_RIGHT_TO_LEFT = frozenset({"ar", "he", "fa", "ur"})


@dataclass(frozen=True)
class RatingPage:
    """The content of a page besides its tasks.

    Attributes
    ----------
    set
        Opaque name of the set of tasks; the browser keeps ratings under it.
    language
        The language of the page; one of `languages()`.
    guideline
        How to rate, in words.
    grades
        The number of grades of a hit, or its grades with words, as in `parse_grades`.
    scale
        The scale of quality, as in `parse_scale`; "": 0 to 5 with the words of the page.
    rater
        The rater's name, if it is known.
    sync
        The address to which ratings are sent, or "" for a page without a server.
    runs
        Opaque names of the rated runs, saved with the ratings.
    ask, questions
        The address to which the rater's own questions are sent ("": there are none), and their largest number.
    """

    set: str
    language: str = "en"
    guideline: str = ""
    grades: int | str = 2
    scale: str = ""
    rater: str = ""
    sync: str = ""
    ask: str = ""
    questions: int = 0
    runs: Sequence[str] = ()

    def __post_init__(self) -> None:
        parse_grades(self.grades)
        parse_scale(self.scale)
        if self.language not in _strings():
            raise SpecError(f"language: the page is written in {', '.join(languages())}, not in {self.language!r}")


def languages() -> tuple[str, ...]:
    """Return the codes of the languages in which the page can be written."""
    return tuple(_strings())


def rating_page(tasks: Sequence[Any], page: RatingPage, ratings: Sequence[Rating] = ()) -> str:
    """Write the page as HTML.

    Parameters
    ----------
    tasks
        `RatingTask`, `PairTask` or `ReviewTask`, in the order in which they are shown.
    page
        Everything else on the page.
    ratings
        The ratings that this rater gave before.
    """
    strings = _strings()[page.language]
    data = {
        "v": 1,
        "set": page.set,
        "runs": list(page.runs),
        "language": page.language,
        "guideline": page.guideline,
        "grades": parse_grades(page.grades),
        "scale": parse_scale(page.scale),
        "searched": any(task.hits for task in tasks if isinstance(task, RatingTask)),
        "table": all(isinstance(task, RatingTask) for task in tasks),
        "rater": page.rater,
        "sync": {"url": page.sync, "rater": page.rater} if page.sync else None,
        "ask": {"url": page.ask, "questions": page.questions} if page.ask else None,
        "strings": strings,
        "ratings": list(ratings),
        "tasks": list(map(arranged, tasks)),
    }
    return (
        _environment()
        .get_template("page.html")
        .render(
            data=data,
            s=strings,
            keys=[*_keys(tasks, page, strings), *strings["keys"]],
            direction="rtl" if page.language in _RIGHT_TO_LEFT else "ltr",
            style=Markup("".join(map(_text, STYLES))),
            scripts=[Markup(_text(name)) for name in SCRIPTS],
            policy=Markup(rating_policy()),
            json=Markup(msgspec.json.encode(data).decode().replace("<", "\\u003c").replace("&", "\\u0026")),
        )
    )


def quality_words(tasks: Sequence[RatingTask], language: str = "en", scale: str = "") -> str:
    """Return the meaning of each quality in the words of the page, for each kind of answer; "": a scale without words.

    `language` and `scale` are as in `RatingPage`.
    """
    strings = _strings()[language]
    if own := parse_scale(scale):
        parts = {"": [(value, words) for value, words in own if words]}
    else:
        has_hits = any(task.hits for task in tasks)
        kinds = {"quality": strings["results"], "quality_empty": strings["nothing"], "quality_text": strings["answer"]}
        of_tasks = {_quality_kind(task, has_hits) for task in tasks}
        parts = {title: list(enumerate(strings[kind])) for kind, title in kinds.items() if kind in of_tasks}
    lines = [
        line
        for title, values in parts.items()
        for line in ([f"   {title}"] if title else []) + [f"   {value:2}  {words}" for value, words in reversed(values)]
    ]
    return "\n".join([f"{strings['quality_question']} (response_quality)", *lines, ""]) if lines else ""


def _quality_kind(task: RatingTask, has_hits: bool) -> str:
    """Return the key of the words for the quality of an answer; `has_hits`: whether any answer beside it has hits."""
    if task.hits:
        return "quality"
    return "quality_empty" if has_hits or not task.text else "quality_text"


def _keys(tasks: Sequence[Any], page: RatingPage, strings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the keys of the kind of tasks and what they do; digits go up to the highest value on the page."""
    kind = _kind(tasks)
    highest = max(parse_grades(page.grades)[-1][0], *values_of(page.scale))
    if kind == "review":
        highest = int(max((value for task in tasks for value in task.scale if value <= HIGHEST), default=1))
        highest = highest if highest > 8 else 8
    shown = {"digits": f"0 – {min(highest, 9)}", "none": "n" if highest > 8 else "9"}
    for number, (key, words) in enumerate(strings[f"keys_{kind}"]):
        yield (key.format(**shown), words)
        if number == 0 and kind != "pair" and highest == HIGHEST:
            yield ("x", strings["key_of_ten"])


def _kind(tasks: Sequence[Any]) -> str:
    """Return the kind of the tasks on a page, whose card has keys of its own."""
    return next((str(task.__struct_config__.tag or "answer") for task in tasks), "answer")


@cache
def rating_policy() -> str:
    """Return the content security policy of a rating page: only the scripts in `SCRIPTS` run."""
    hashes = " ".join(_hash(_text(name)) for name in SCRIPTS)
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {hashes}; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def arranged(task: Any) -> Any:
    """Return the task with its hits' fields in order: name, price and place first, links and pictures last."""
    if isinstance(task, PairTask):
        return replace(task, left=arranged(task.left), right=arranged(task.right))
    return replace(task, hits=tuple(replace(hit, fields=_in_order(hit)) for hit in task.hits))


def _in_order(hit: RatedHit) -> dict[str, Any]:
    """Return the ordered fields, without those that repeat the text of the hit."""
    places, text = _usual_fields(), hit.text.strip()
    fields = ((name, value) for name, value in hit.fields.items() if not (text and str(value).strip() == text))
    return dict(sorted(fields, key=lambda pair: places.get(pair[0].casefold(), 2)))


@cache
def _usual_fields() -> dict[str, int]:
    groups: dict[str, list[str]] = json.loads(_text("fields.json"))
    return {name: place for place, key in ((0, "first"), (1, "then"), (3, "last")) for name in groups[key]}


@cache
def _strings() -> dict[str, dict[str, Any]]:
    strings: dict[str, dict[str, Any]] = json.loads(_text("strings.json"))
    return strings


@cache
def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Return the hash by which the policy allows a script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )

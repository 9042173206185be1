"""Metrics: pure functions of a view, with canonical names.

@metric("RR", why_undefined="…")                    # a metric of a view: arrays in, arrays out
def reciprocal_rank(ranking: Ranking, *, at: int = 0, rel: float = 1) -> Floats: ...

@metric("MyScore")                                  # a user's scorer: one answer at a time
def my_score(reference: str, response: str) -> float: ...
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from neraca.errors import SpecError
from neraca.metrics import aliases
from neraca.metrics.definition import EMPTY, INNER, Better, Definition, Kind
from neraca.metrics.parameter_words import description
from neraca.registry import Registry, Spec, bind, parameters_of

if TYPE_CHECKING:  # naming a metric costs nothing; numpy is imported when something is scored
    from neraca.stats.intervals.interval import Total

METRICS: Registry[Definition] = Registry("metric", "neraca.metrics")


def metric(
    name: str,
    *,
    total: Total | None = None,
    better: Better = "higher",
    low: float = 0.0,
    high: float | Callable[..., float] = 1.0,
    why_undefined: str = "not defined for this answer",
    references: str = "best",
    empty: str | Callable[..., str] = "",
    kind: Kind = "quality",
    not_for: str = "",
    binary: bool | Callable[..., bool] | None = None,
    described: Mapping[str, str] | None = None,
    range_of: Callable[..., tuple[float, float]] | None = None,
    judge: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the metric `name`; see `Definition` for the parameters.

    `high` and `empty` may be functions of the metric's parameters, which then all have defaults.  With `empty`, a
    metric of `Ranking` gets one more parameter, `empty`; the function itself computes only what hits are worth.

    If the function's first parameter is annotated with a view, the function gets that view of all answers.  It returns
    an array of values, shape (n,), or of counts, shape (n, w), with NaN where a value is undefined; or
    `counts.Reasoned`, which adds a reason for each answer.

    Otherwise the function is called once for each answer, and with several references the best value counts.  Its
    positional parameters are among `query`, `reference`, `response`, `contexts`, `item` and `answer`.  It returns a
    number, or None if it cannot decide; a function that returns `bool` is `binary`.

    Keyword-only parameters become parameters of the metric's name.  A parameter such as `*metrics` takes any number of
    names of other metrics.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        source = f"{function.__module__.removeprefix('__main__')}.{function.__qualname__}"
        returns_bool = getattr(function, "__annotations__", {}).get("return") in (bool, "bool")
        definition = Definition(
            name=name,
            function=function,
            total=total,
            better=better,
            low=low,
            high=high() if callable(high) else high,
            why_undefined=why_undefined,
            references=references,
            high_of=high if callable(high) else None,
            empty=empty,
            kind=kind,
            not_for=not_for,
            binary=True if binary is None and returns_bool else binary,
            described=described or {},
            range_of=range_of,
            judge=judge,
        )
        if empty and empty != INNER:
            _add_empty(function, empty if isinstance(empty, str) else "")
        METRICS.add(name, definition, source)
        return function

    return register


def _add_empty(function: Any, default: str) -> None:
    """Add the parameter `empty`, which `Metric` fills, to the signature of the function."""
    signature = inspect.signature(function)
    parameter = inspect.Parameter("empty", inspect.Parameter.KEYWORD_ONLY, default=default, annotation="str")
    function.__signature__ = signature.replace(parameters=[*signature.parameters.values(), parameter])


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric with its parameters bound; equal to its canonical name.

    >>> str(Metric.of("nDCG(gains=linear)@10"))
    'nDCG@10'
    """

    spec: Spec
    definition: Definition
    params: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, name: str | Metric, **defaults: Any) -> Metric:
        """Find a metric by its name here or in another library (`aliases`); raise `SpecError` with similar names.

        `defaults` fill parameters that the metric has and the name does not give.  `Average` alone is the average of
        `aliases.AVERAGED`, as `neraca browser` prints it.
        """
        if isinstance(name, Metric):
            return name
        spec = aliases.with_own_parameters(_spec(name))
        definition = METRICS.get(spec.name)
        if defaults:
            takes = parameters_of(definition.function)
            applicable = {key: value for key, value in defaults.items() if key in takes and key not in spec.params}
            spec = Spec(spec.name, {**applicable, **spec.params}, spec.values)
        if spec.name == "Average" and not spec.values:
            spec = Spec(spec.name, spec.params, aliases.AVERAGED)
        if any(p.kind is p.VAR_POSITIONAL for p in parameters_of(definition.function).values()):
            spec = Spec(spec.name, spec.params, tuple(str(cls.of(str(inner), **defaults)) for inner in spec.values))
        _check_empty(spec, definition)
        canonical, params = bind(spec, definition.function)
        if "metric" in params:  # made of another metric, such as Condensed(nDCG@10)
            inner = str(cls.of(str(params["metric"]), **defaults))
            canonical, params = bind(Spec(spec.name, {**params, "metric": inner}), definition.function)
        if definition.high_of and params:
            definition = replace(definition, high=definition.high_of(**params))
        if definition.range_of:
            lowest, highest = definition.range_of(**params)
            definition = replace(definition, low=float(lowest), high=float(highest))
        if "better" in params:  # values that were computed elsewhere
            definition = replace(definition, better=cast("Better", params["better"]))
        return cls(canonical, definition, tuple(params.items()))

    @classmethod
    def several(cls, names: str | Metric | Iterable[str | Metric], **defaults: Any) -> list[Metric]:
        """Find metrics by their names (`"P@5 nDCG@10"`, or a list), each once; raise `SpecError`.

        `defaults` are as for `of`.  `average_score` beside other names is the average of those metrics.

        >>> list(map(str, Metric.several("P@5 nDCG@10 P@5")))
        ['P@5', 'nDCG@10']
        """
        listed = [names] if isinstance(names, str | Metric) else names
        if not isinstance(listed, Iterable):
            raise SpecError(f"metrics are names such as nDCG@10, or a list of them, not {names!r}")
        parts: list[str | Metric] = []
        for name in listed:
            if not isinstance(name, str | Metric):
                raise SpecError(f"a metric is a name such as nDCG@10, not {name!r}")
            parts += [name] if isinstance(name, Metric) else aliases.split_names(name)
        averages = [part for part in parts if isinstance(part, str) and aliases.is_average(part)]
        metrics = [cls.of(part, **defaults) for part in parts if part not in averages]
        if averages:
            metrics.append(cls.of(f"Average({','.join(map(str, metrics))})" if metrics else "Average"))
        return list({str(metric): metric for metric in metrics}.values())

    def __str__(self) -> str:
        return str(self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric | str) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    @functools.cached_property
    def total(self) -> Total:
        """The function from summed counts to the value, shapes (..., w) -> (...), with its parameters bound."""
        from neraca.stats.intervals.interval import mean

        if self.definition.total is None:
            return mean
        takes = parameters_of(self.definition.total)
        params = {name: value for name, value in self.params if name in takes}
        return functools.partial(self.definition.total, **params) if params else self.definition.total

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger value is better; also true if the direction does not matter."""
        return self.definition.better != "lower"

    @property
    def neutral(self) -> bool:
        """Whether neither a larger nor a smaller value is better."""
        return self.definition.better == "neither"

    @property
    def diagnostic(self) -> bool:
        """Whether no run is ever called better by it: a declared diagnostic, or a metric without a better direction.

        >>> Metric.of("Judged@10").diagnostic, Metric.of("Words").diagnostic, Metric.of("P@10").diagnostic
        (True, True, False)
        """
        return self.definition.kind == "diagnostic" or self.neutral

    @property
    def binary(self) -> bool | None:
        """Whether each answer's value is 0 or 1, as declared; None: not declared, as for most users' scorers.

        >>> Metric.of("Success@5").binary, Metric.of("P@1").binary, Metric.of("P@5").binary, Metric.of("nDCG@1").binary
        (True, True, False, False)
        """
        declared, params = self.definition.binary, dict(self.params)
        if "metric" in params:
            return Metric.of(str(params["metric"])).binary
        return declared(**params) if callable(declared) else False if declared is None and self.built_in else declared

    def __call__(self, *arguments: Any) -> Any:
        """Call its function with these positional arguments; then apply the parameter `empty`."""
        params = {name: value for name, value in self.params if name != "empty" or not self.empty}
        values = self.definition.function(*arguments, *params.pop("*", ()), **params)
        return arguments[0].empties.apply_policy(values, self.empty) if self.empty in EMPTY else values

    @property
    def empty(self) -> str:
        """The worth of an answer without hits: one of `EMPTY`, `INNER`, or "" for a metric without this parameter."""
        default, params = self.definition.empty, dict(self.params)
        if default == INNER:
            return INNER if Metric.of(str(params["metric"])).empty else ""
        if chosen := params.pop("empty", "") if default else "":
            return str(chosen)
        return default if isinstance(default, str) else default(**params)

    @property
    def view(self) -> Any:
        """The class of the view that it works on; None for a user's scorer of single answers."""
        return _view_of(self.definition.function)

    def arguments(self) -> list[str]:
        """Return the positional parameters of a scorer of single answers; raise `SpecError` for unknown names."""
        parameters = parameters_of(self.definition.function).values()
        names = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
        if unknown := [name for name in names if name not in ARGUMENTS]:
            raise SpecError(
                f"metric {self.definition.name!r}: cannot give its function {unknown[0]!r}; "
                f"its positional parameters are named among {', '.join(sorted(ARGUMENTS))}"
            )
        return names

    @property
    def built_in(self) -> bool:
        """Whether it is one of Neraca's own metrics."""
        return self.definition.function.__module__.startswith("neraca.")

    def with_inner(self) -> Iterator[Metric]:
        """Yield the metric and the metrics that it is made of, as in `Average(ROUGE-L,TokenF1)`."""
        yield self
        params = dict(self.params)
        for inner in (*params.get("*", ()), *([params["metric"]] if "metric" in params else [])):
            yield from Metric.of(str(inner)).with_inner()

    @property
    def settings(self) -> dict[str, Any]:
        """The value of each parameter, given or default."""
        parameters = parameters_of(self.definition.function).values()
        defaults = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        return defaults | dict(self.params) | ({"empty": self.empty} if "empty" in defaults else {})

    @property
    def summary(self) -> str:
        """A description of the metric with these parameters; formulas are TeX.  See `parameter_words.py`.

        >>> Metric.of("P(of=returned)@5").summary
        'Precision at k: relevant hits among the first k, divided by min(k, number of hits).'
        """
        documentation = inspect.getdoc(self.definition.function) or ""
        return description(documentation, self.definition.described, dict(self.params), self.settings)

    @property
    def reads_texts(self) -> bool:
        """Whether it, or a metric that it is made of, reads texts.

        >>> Metric.of("ROUGE-1").reads_texts, Metric.of("Condensed(nDCG@10)").reads_texts
        (True, False)
        """
        return any(
            {"tokens", "language"} & metric.settings.keys() or "references" in metric.needs
            for metric in self.with_inner()
        )

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns without which it cannot be scored; see `Scorable`."""
        return tuple(ARGUMENTS[name] for name in self.arguments()) if self.view is None else self.view.needs

    def pair(self, reference: str, response: str, language: str = "") -> float:
        """Return its value for one response beside one reference, in microseconds; NaN if it is undefined.

        Raises `SpecError` if the metric needs more than the two texts.

        >>> Metric.of("ROUGE-1").pair("the cat sat", "the cat")
        0.8
        """
        if self.view is None and set(self.arguments()) <= {"reference", "response"}:
            value = self(*({"reference": reference, "response": response}[name] for name in self.arguments()))
            return math.nan if value is None else float(value)
        if not hasattr(self.view, "of_texts"):
            raise SpecError(f"{self} does not compare a response with a reference; score it with a run or a table")
        result = self(self.view.of_texts(reference, response, language))
        value = result[0] if getattr(result, "ndim", 0) else result  # an array, or a number or a list of counts
        counts = isinstance(value, list) or getattr(value, "ndim", 0) > 0
        return float(self.total(value) if counts else value)


#: Positional parameter of a user's function → the column that fills it.
ARGUMENTS = {
    "query": "query",
    "reference": "references",
    "response": "response",
    "contexts": "contexts",
    "item": "items",
    "answer": "counted_answers",
}


def _spec(name: str) -> Spec:
    """Read a name with its parameters, as it is called here; raise `SpecError` if no metric has this name."""
    if name[:1].isdigit() and (translation := aliases.translate(name)):  # 11pt_avg
        return translation
    spec = Spec.parse(name)
    if METRICS.has(spec.name):
        return spec
    if translation := aliases.translate(name):
        return translation
    if spec.name not in METRICS.names():
        raise SpecError(aliases.unknown_name(spec.name, METRICS.names()))
    return spec


def _check_empty(spec: Spec, definition: Definition) -> None:
    """Raise `SpecError` for an unknown value of `empty`, and for `of=returned` in its place."""
    default, chosen = definition.empty, spec.params.get("empty")
    if not default or default == INNER:
        return
    if spec.params.get("of") == "returned" and "of" not in parameters_of(definition.function):
        raise SpecError(f"{spec.name}(of=returned) is written {spec.name}(empty=skip): the mean over answers with hits")
    if chosen is not None and chosen not in EMPTY:
        raise SpecError(f"{spec}: empty is {', '.join(EMPTY[:-1])} or {EMPTY[-1]}, not {chosen!r}")
    if chosen == "correct" and math.isinf(definition.high):
        raise SpecError(f"{spec}: {spec.name} has no largest value that a right empty answer could be worth")


@functools.cache
def _view_of(function: Callable[..., Any]) -> Any:
    first = next(iter(parameters_of(function).values()), None)
    if first is None or first.name in ARGUMENTS or first.annotation is first.empty:
        return None
    hint = first.annotation
    if isinstance(hint, str):  # a name is looked up and never evaluated: a plugin's hint is not code to run
        name, *attributes = hint.split(".")
        hint = inspect.unwrap(function).__globals__.get(name)
        for attribute in attributes:
            hint = getattr(hint, attribute, None)
    return hint if hasattr(hint, "of") else None

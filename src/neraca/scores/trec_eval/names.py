"""The measures of trec_eval in the order in which it prints them, and how `-m NAME.PARAMETERS` chooses among them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from neraca.errors import SpecError
from neraca.nearest import nearest

_DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(tenths / 10 for tenths in range(11))
_MULTIPLES = tuple(fifths / 5 for fifths in range(1, 11))


@dataclass(frozen=True)
class Measure:
    """A measure of trec_eval.

    Attributes
    ----------
    name
        Its name without cutoffs.
    takes
        The parameters after the dot: `cutoffs` or `shares`, with a value for each; `numbers`; `gains` such as 1=3.5;
        "": none.
    usual
        The parameters without a dot.
    form
        The form of judgments that it needs: `qrels`, `prefs` (also `qrels_prefs`), `qrels_jg`; "": any.
    total
        How the values of queries are combined: `mean`, `sum`, or `geometric` (mean of logarithms); "": not at all.
    of_queries
        Whether it is printed for each query.
    whole
        Whether it is printed as a whole number.
    """

    name: str
    takes: str = ""
    usual: Sequence[Any] = ()
    form: str = "qrels"
    total: str = "mean"
    of_queries: bool = True
    whole: bool = False


def _count(name: str, form: str = "qrels") -> Measure:
    return Measure(name, form=form, total="sum", whole=True)


MEASURES = (
    Measure("runid", form="", total="", of_queries=False),
    Measure("num_q", form="", total="", of_queries=False, whole=True),
    *map(_count, ("num_ret", "num_rel", "num_rel_ret")),
    Measure("map"),
    Measure("gm_map", total="geometric", of_queries=False),
    *map(Measure, ("Rprec", "bpref", "recip_rank")),
    Measure("iprec_at_recall", "shares", _TENTHS),
    Measure("P", "cutoffs", _DEPTHS),
    Measure("relstring", "numbers", total=""),
    Measure("recall", "cutoffs", _DEPTHS),
    Measure("infAP"),
    Measure("gm_bpref", total="geometric", of_queries=False),
    Measure("Rprec_mult", "shares", _MULTIPLES),
    Measure("utility", "numbers"),
    Measure("11pt_avg", "numbers", _TENTHS),
    Measure("binG"),
    *(Measure(name, "gains") for name in ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg")),
    *(Measure(name, "cutoffs", _DEPTHS) for name in ("ndcg_cut", "map_cut", "relative_P")),
    Measure("success", "cutoffs", (1, 5, 10)),
    *map(Measure, ("set_P", "set_relative_P", "set_recall", "set_map")),
    Measure("set_F", "numbers", (1.0,)),
    _count("num_nonrel_judged_ret"),
    *(_count(f"prefs_num_prefs_{suffix}", "prefs") for suffix in ("poss", "ful", "ful_ret")),
    *(
        Measure(f"prefs_{suffix}", form="prefs")
        for suffix in (
            *("simp", "pair", "avgjg", "avgjg_Rnonrel"),
            *("simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret"),
            *("simp_imp", "pair_imp", "avgjg_imp"),
        )
    ),
    Measure("map_avgjg", form="qrels_jg"),
    Measure("P_avgjg", "cutoffs", _DEPTHS, form="qrels_jg"),
    Measure("Rprec_mult_avgjg", "shares", _MULTIPLES, form="qrels_jg"),
    Measure("yaap"),
    Measure("rbp", "gains"),
    Measure("rbp_resid"),
    Measure("unj", "cutoffs", (5, 10, 20)),
)
_BY_NAME = {measure.name: measure for measure in MEASURES}
_BASIC = ("runid", "num_q")
_COUNTS = (*_BASIC, "num_ret", "num_rel", "num_rel_ret")
_PREFS = tuple(measure.name for measure in MEASURES if measure.form == "prefs")
#: Names for several measures.
NICKNAMES = {
    "official": (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    "set": (*_COUNTS, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": (
        *_BASIC,
        *(m.name for m in MEASURES if m.form == "qrels" and m.name not in ("dcg", "ideal_dcg", "yaap")),
    ),
    "all_prefs": (*_BASIC, *_PREFS),
    "prefs": (*_BASIC, *_PREFS[:6]),
    "qrels_jg": (*_BASIC, *(measure.name for measure in MEASURES if measure.form == "qrels_jg")),
}


@dataclass(frozen=True)
class Chosen:
    """A measure with its parameters.

    Attributes
    ----------
    measure
        The measure.
    names
        The printed names of its values: one, or one for each cutoff.
    numbers
        The parameter of each value: a cutoff, a share, numbers, gains, or None.
    """

    measure: Measure
    names: Sequence[str]
    numbers: Sequence[Any]


def choose(arguments: Iterable[str]) -> list[Chosen]:
    """Return the measures of the arguments of `-m`, in the order of printing; by default the official ones.

    Raise `SpecError` for names and parameters that trec_eval does not take, and for parameters given twice for a
    measure.

    >>> [chosen.names for chosen in choose(["P.10,5", "map"])]
    [('map',), ('P_5', 'P_10')]
    """
    parameters: dict[str, str] = {}
    for argument in list(arguments) or ["official"]:
        name, dot, after_dot = argument.partition(".")
        if name not in NICKNAMES and name not in _BY_NAME:
            raise SpecError(f"trec_eval has no measure {name!r}: {nearest(name, [*NICKNAMES, *_BY_NAME])}")
        if dot and (name in NICKNAMES or not _BY_NAME[name].takes or not after_dot):
            raise SpecError(f"-m {argument}: {name} takes no such parameters; write -m {name}")
        for measure_name in NICKNAMES.get(name, (name,)):
            if after_dot and parameters.get(measure_name):
                raise SpecError(f"-m {argument}: the parameters of {name} are given twice; write them into one -m")
            parameters[measure_name] = after_dot or parameters.get(measure_name, "")
    return [_with_parameters(measure, parameters[measure.name]) for measure in MEASURES if measure.name in parameters]


def _with_parameters(measure: Measure, parameters: str) -> Chosen:
    name, takes = measure.name, measure.takes
    if takes == "gains":
        return Chosen(measure, (f"{name}_{parameters}" if parameters else name,), (_gains(measure, parameters),))
    numbers = _numbers(measure, parameters) if parameters else measure.usual
    if takes in ("cutoffs", "shares"):
        if takes == "cutoffs":
            numbers = [int(number) for number in numbers]
        if len(set(numbers)) < len(numbers) or (takes == "cutoffs" and min(numbers) < 1):
            raise SpecError(f"-m {name}.{parameters}: cutoffs are above 0, and each stands once")
        numbers = sorted(numbers)
        template = "{}_{}" if takes == "cutoffs" else "{}_{:3.2f}"
        return Chosen(measure, tuple(template.format(name, number) for number in numbers), numbers)
    _check_numbers(measure, parameters, numbers)
    if name == "relstring":
        return Chosen(
            measure, (f"{name}_{parameters}" if parameters else name,), (int(numbers[0]) if parameters else None,)
        )
    return Chosen(measure, (f"{name}_{parameters}" if parameters else name,), (tuple(numbers) or None,))


def _check_numbers(measure: Measure, parameters: str, numbers: Sequence[float]) -> None:
    most = {"utility": 4, "relstring": 1, "set_F": 1}.get(measure.name)
    if parameters and most and len(numbers) != most:
        raise SpecError(f"-m {measure.name}.{parameters}: {measure.name} takes {most} number{'s' * (most > 1)}")
    if measure.name == "set_F" and numbers[0] < 0:
        raise SpecError(f"-m {measure.name}.{parameters}: the weight of recall is 0 or more")
    if measure.name == "11pt_avg" and list(numbers) != sorted(numbers):
        raise SpecError(f"-m {measure.name}.{parameters}: recalls stand in rising order")


def _numbers(measure: Measure, parameters: str) -> list[float]:
    try:
        numbers = [float(part) for part in parameters.split(",")]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise SpecError(f"-m {measure.name}.{parameters}: write numbers with commas between them")
    return numbers


def _gains(measure: Measure, parameters: str) -> dict[Any, float]:
    """Return grade → gain, for `rbp` also `p`; {} without parameters."""
    gains: dict[Any, float] = {}
    for part in parameters.split(",") if parameters else ():
        key, _, value = part.partition("=")
        try:
            level = "p" if measure.name == "rbp" and key == "p" else int(key)
            [gains[level]] = _numbers(measure, value)
        except ValueError as error:
            raise SpecError(f"-m {measure.name}.{parameters}: write GRADE=GAIN, such as 1=3.5,2=9") from error
        if level != "p" and int(level) < 0:
            raise SpecError(
                f"-m {measure.name}.{parameters}: documents that nobody judged gain nothing; leave {key} out"
            )
    return gains

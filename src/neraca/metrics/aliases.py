"""Names of metrics in other libraries, and what each is called here.

A name is taken where the number means the same here; the metric is printed by its own name.  Where it does not, or
where a name says too little, the error names what comes near.  Case, `_`, `-` and spaces play no part.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from neraca.errors import SpecError, nearest
from neraca.metrics import HOME
from neraca.metrics.alias_table import ALIASES, Alias, each
from neraca.registry import Spec, split_specs

_SAME = re.compile(r"[\s_-]+")
_CUTOFF = re.compile(r"(.+?)(_at_|[_.-])(\d+)")
_RBP = re.compile(r"rbp\.(\d+)", re.IGNORECASE)
#: What trec_eval takes several of at once: `P.5,10`, `iprec_at_recall_0.10`.
_CUT = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}
#: Metrics whose parameter `case` sacreBLEU turns round and calls `lower`.
_LOWERED = ("chrF", "chrF++", "CorpusChrF")
_NUMBERS = r"\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*"
_LISTS = re.compile(
    rf"(?<![\w.(=+-])(?:(?P<cut>{'|'.join(_CUT)})[._](?P<depths>\d+(?:,\d+)*)"
    rf"|iprec_at_recall[._](?P<recalls>{_NUMBERS}))(?![\w.(@+-])"
)


def fold(name: str) -> str:
    """Return a name without case, spaces, underscores and hyphens.

    >>> fold("rouge_L") == fold("ROUGE-l") == "rougel"
    True
    """
    return _SAME.sub("", name).casefold()


@functools.cache
def _by_name() -> dict[str, Alias]:
    return {fold(name): alias for alias in ALIASES for name in alias.names.split()}


def split_names(text: str) -> list[str]:
    """Split a list of names; where trec_eval takes several at once, put each of them there.

    >>> split_names("map P_5,10 ndcg_cut RBP(p=0.8)")[:4]
    ['map', 'P@5', 'P@10', 'nDCG@5']
    """
    names: list[str] = []
    for name in split_specs(_LISTS.sub(_listed, text)):
        alias = None if name in HOME else _by_name().get(fold(name))
        names += alias.ours.split() if alias and " " in alias.ours else [name]
    return names


def _listed(match: re.Match[str]) -> str:
    if name := match["cut"]:
        return each(_CUT[name], match["depths"].replace(",", " "))
    return " ".join(f"IPrec({float(recall):g})" for recall in match["recalls"].split(","))


def renamed(spec: Spec) -> Spec:
    """Return a metric's name with its parameters as they are called here: `chrF(lower=true)` is `chrF(case=false)`.

    >>> str(renamed(Spec.parse("chrF(lower=true)")))
    'chrF(case=false)'
    """
    lower = spec.params.get("lower")
    if spec.name not in _LOWERED or not isinstance(lower, bool) or "case" in spec.params:
        return spec
    others = {name: value for name, value in spec.params.items() if name != "lower"}
    return Spec(spec.name, {**others, "case": not lower}, spec.values)


def of_trec_eval(text: str) -> str:
    """Return a list of names, in which a bare name is what trec_eval means by it: `recall` is nine of them."""
    found = ((name, None if name in HOME else _by_name().get(fold(name))) for name in split_names(text))
    return " ".join(alias.trec if alias and alias.trec else name for name, alias in found)


def translated(text: str) -> Spec | None:
    """Find what a metric that other libraries call so is here; None where nobody does.

    Parameters
    ----------
    text
        A name, with parameters and cutoff; a name of ours in any case is found too.

    Raises
    ------
    SpecError
        The name says too little, or there is no such metric here: names what comes near.

    Examples
    --------
    >>> str(translated("precision@5")), str(translated("rougeL(stat=r)")), translated("Mine")
    ('P@5', 'ROUGE-L(stat=r)', None)
    """
    if alias := _by_name().get(fold(text)):
        return Spec.parse(_taken(text, alias, alias.ours))
    if share := _RBP.fullmatch(text.strip()):
        return Spec.parse(f"RBP(p=0.{share[1]},rel=1)")
    given = Spec.parse(text)
    ours = _ours(given.name, "at" in given.params, text)
    if ours is None and "at" not in given.params and (cut := _CUTOFF.fullmatch(given.name)):
        alias = _by_name().get(fold(cut[1]))
        if (alias and alias.at) or "at" in cut[2]:
            ours = _ours(cut[1], True, text)
            given = Spec(given.name, {**given.params, "at": int(cut[3])}, given.values)
    if ours is None:
        return None
    return Spec(ours.name, {**ours.params, **given.params}, (*ours.values, *given.values))


def _ours(name: str, cutoff: bool, text: str) -> Spec | None:
    """What a bare name is here, with or without a cutoff; None where nobody calls anything so."""
    if alias := _by_name().get(fold(name)):
        return Spec.parse(_taken(text, alias, alias.at if alias.at and cutoff else alias.ours))
    same = {fold(known): known for known in HOME}.get(fold(name))
    return Spec(same) if same else None


def _taken(text: str, alias: Alias, ours: str) -> str:
    if not ours:
        raise SpecError(f"{text!r} is not taken, for it is another number or could be several: {alias.note}")
    if " " in ours:
        raise SpecError(f"{text!r} is several metrics; name one of {ours}")
    return ours


#: The metrics of an average that names none: those that `neraca browser` scores where nobody names any.
AVERAGED = ("TFIDF", "ROUGE-L", "ExactMatch", "TokenF1", "METEOR", "TokenRecall")


def is_average(name: str) -> bool:
    """Tell whether a bare name asks for the average of the metrics that are named with it."""
    alias = _by_name().get(fold(name))
    return alias is not None and alias.ours == "Average"


def unknown(name: str, names: Iterable[str]) -> str:
    """Say that no metric has this name, and which have one like it, also one of other libraries."""
    ours = list(names)
    folded = {fold(one) for one in ours}
    theirs = [one for alias in ALIASES if alias.ours or alias.at for one in alias.names.split()]
    near = nearest(name, [*ours, *(one for one in theirs if fold(one) not in folded)])
    return f"no metric is called {name!r}; {near}"


def plain_heading(name: str) -> str:
    """Return a metric's name as a heading in lower case, of letters, digits and underscores.

    It is the name that people use, where this is one of them; both are taken as names of the metric.

    >>> plain_heading("ROUGE-L"), plain_heading("TFIDF"), plain_heading("nDCG@10"), plain_heading("LengthRatio")
    ('rouge_l', 'cosine_similarity', 'ndcg_at_10', 'length_ratio')
    """
    name, _, cutoff = name.partition("@") if name.count("@") == 1 and name[-1:].isdigit() else (name, "", "")
    usual = (alias.names.split()[0] for alias in ALIASES if name == (alias.at or alias.ours if cutoff else alias.ours))
    known = next((one for one in usual if one.isidentifier()), "")
    words = known or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("+", " plus"))
    plain = re.sub(r"\W+", "_", words).strip("_").lower()
    return f"{plain}_at_{cutoff}" if cutoff else plain


def table() -> str:
    """Return the table of names, as Markdown."""
    rows = ["| name | here | of | |", "|---|---|---|---|"]
    for alias in ALIASES:
        names = " ".join(f"`{name}{'@k' if alias.at else ''}`" for name in alias.names.split())
        with_cutoff = f"`{alias.at}@k`" if alias.at else ""
        several = alias.ours.split()
        ours = f"`{several[0]}` … `{several[-1]}`" if len(several) > 1 else f"`{alias.ours}`" if alias.ours else "–"
        rows.append(f"| {names} | {with_cutoff or ours} | {alias.whose} | {alias.note} |")
    return "\n".join(rows)

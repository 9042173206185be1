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
    aliases_by_name = ((name, None if name in HOME else _by_name().get(fold(name))) for name in split_names(text))
    return " ".join(alias.trec if alias and alias.trec else name for name, alias in aliases_by_name)


def translated(text: str) -> Spec | None:
    """Translate the name of a metric in another library; return None for a name that no library has.

    Parameters
    ----------
    text
        A name, with parameters and cutoff; a name of ours in any case is found too.

    Raises
    ------
    SpecError
        The name says too little, or there is no such metric here; the error names metrics that come near.

    Examples
    --------
    >>> str(translated("precision@5")), str(translated("rougeL(stat=r)")), translated("Mine")
    ('P@5', 'ROUGE-L(stat=r)', None)
    """
    if alias := _by_name().get(fold(text)):
        return Spec.parse(_single_name(text, alias, alias.ours))
    if share := _RBP.fullmatch(text.strip()):
        return Spec.parse(f"RBP(p=0.{share[1]},rel=1)")
    spec = Spec.parse(text)
    translation = _translate_name(spec.name, "at" in spec.params, text)
    if translation is None and "at" not in spec.params and (cut := _CUTOFF.fullmatch(spec.name)):
        alias = _by_name().get(fold(cut[1]))
        if (alias and alias.at) or "at" in cut[2]:
            translation = _translate_name(cut[1], True, text)
            spec = Spec(spec.name, {**spec.params, "at": int(cut[3])}, spec.values)
    if translation is None:
        return None
    return Spec(translation.name, {**translation.params, **spec.params}, (*translation.values, *spec.values))


def _translate_name(name: str, cutoff: bool, text: str) -> Spec | None:
    """Translate a bare name, with or without a cutoff; return None for a name that no library has."""
    if alias := _by_name().get(fold(name)):
        return Spec.parse(_single_name(text, alias, alias.at if alias.at and cutoff else alias.ours))
    same = {fold(name_here): name_here for name_here in HOME}.get(fold(name))
    return Spec(same) if same else None


def _single_name(text: str, alias: Alias, names_here: str) -> str:
    if not names_here:
        raise SpecError(f"{text!r} is not taken, for it is another number or could be several: {alias.note}")
    if " " in names_here:
        raise SpecError(f"{text!r} is several metrics; name one of {names_here}")
    return names_here


#: The metrics of an average that names none: those that `neraca browser` scores where nobody names any.
AVERAGED = ("TFIDF", "ROUGE-L", "ExactMatch", "TokenF1", "METEOR", "TokenRecall")


def is_average(name: str) -> bool:
    """Tell whether a bare name asks for the average of the metrics that are named with it."""
    alias = _by_name().get(fold(name))
    return alias is not None and alias.ours == "Average"


#: A metric's name is offered for another from this share of common letters on: nDCG for nDGC, and not prec for Nope.
_ALIKE = 0.65


def unknown(name: str, names: Iterable[str]) -> str:
    """Return an error for an unknown name, with similar names, also those of other libraries."""
    names_here = list(names)
    folded = {fold(here) for here in names_here}
    aliases_elsewhere = [other for alias in ALIASES if alias.ours or alias.at for other in alias.names.split()]
    others = [other for other in aliases_elsewhere if fold(other) not in folded]
    near = nearest(name, [*names_here, *others], _ALIKE, "neraca metrics lists all")
    return f"no metric is called {name!r}; {near}"


def plain_heading(name: str) -> str:
    """Return a metric's name as a heading in lower case, of letters, digits and underscores.

    It is the name that people use, where this is one of them; both are taken as names of the metric.

    >>> plain_heading("ROUGE-L"), plain_heading("TFIDF"), plain_heading("nDCG@10"), plain_heading("LengthRatio")
    ('rouge_l', 'cosine_similarity', 'ndcg_at_10', 'length_ratio')
    """
    name, _, cutoff = name.partition("@") if name.count("@") == 1 and name[-1:].isdigit() else (name, "", "")
    usual = (alias.names.split()[0] for alias in ALIASES if name == (alias.at or alias.ours if cutoff else alias.ours))
    usual_name = next((one for one in usual if one.isidentifier()), "")
    words = usual_name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("+", " plus"))
    plain = re.sub(r"\W+", "_", words).strip("_").lower()
    return f"{plain}_at_{cutoff}" if cutoff else plain


def table() -> str:
    """Return the table of names, as Markdown."""
    rows = ["| name | here | of | |", "|---|---|---|---|"]
    for alias in ALIASES:
        names = " ".join(f"`{name}{'@k' if alias.at else ''}`" for name in alias.names.split())
        with_cutoff = f"`{alias.at}@k`" if alias.at else ""
        several = alias.ours.split()
        names_here = (
            f"`{several[0]}` … `{several[-1]}`" if len(several) > 1 else f"`{alias.ours}`" if alias.ours else "–"
        )
        rows.append(f"| {names} | {with_cutoff or names_here} | {alias.whose} | {alias.note} |")
    return "\n".join(rows)

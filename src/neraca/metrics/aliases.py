"""Translate the names that other libraries give to metrics.

A foreign name is accepted if its number means the same here; the metric is then printed by its own name.  For a name
that means another number, or several, the error names similar metrics.  Case, `_`, `-` and spaces do not matter.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from neraca.errors import SpecError
from neraca.metrics import MODULE_BY_NAME
from neraca.metrics.alias_table import ALIASES, Alias, at_depths
from neraca.nearest import nearest
from neraca.registry import Spec, split_specs
from neraca.translation import say

_IGNORED = re.compile(r"[\s_-]+")
_CUTOFF = re.compile(r"(.+?)(_at_|[_.-])(\d+)")
_RBP = re.compile(r"rbp\.(\d+)", re.IGNORECASE)
#: trec_eval measures with a list of cutoffs, such as `P.5,10` → the metric here.
_CUT = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}
#: Metrics for which sacreBLEU has `lower`, the opposite of the parameter `case` here.
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
    return _IGNORED.sub("", name).casefold()


@functools.cache
def _by_name() -> dict[str, Alias]:
    return {fold(name): alias for alias in ALIASES for name in alias.names.split()}


def split_names(text: str) -> list[str]:
    """Split a list of names; a trec_eval name that stands for several metrics becomes several names.

    >>> split_names("map P_5,10 ndcg_cut RBP(p=0.8)")[:4]
    ['map', 'P@5', 'P@10', 'nDCG@5']
    """
    names: list[str] = []
    for name in split_specs(_LISTS.sub(_spell_out, text)):
        alias = None if name in MODULE_BY_NAME else _by_name().get(fold(name))
        names += alias.ours.split() if alias and " " in alias.ours else [name]
    return names


def _spell_out(match: re.Match[str]) -> str:
    if name := match["cut"]:
        return at_depths(_CUT[name], match["depths"].replace(",", " "))
    return " ".join(f"IPrec({float(recall):g})" for recall in match["recalls"].split(","))


def with_own_parameters(spec: Spec) -> Spec:
    """Translate sacreBLEU's parameter `lower` into `case`.

    >>> str(with_own_parameters(Spec.parse("chrF(lower=true)")))
    'chrF(case=false)'
    """
    lower = spec.params.get("lower")
    if spec.name not in _LOWERED or not isinstance(lower, bool) or "case" in spec.params:
        return spec
    kept_params = {name: value for name, value in spec.params.items() if name != "lower"}
    return Spec(spec.name, {**kept_params, "case": not lower}, spec.values)


def of_trec_eval(text: str) -> str:
    """Translate a list of names in which a bare name means what it means to trec_eval: `recall` is nine metrics."""
    aliases_by_name = (
        (name, None if name in MODULE_BY_NAME else _by_name().get(fold(name))) for name in split_names(text)
    )
    return " ".join(alias.trec if alias and alias.trec else name for name, alias in aliases_by_name)


def translate(text: str) -> Spec | None:
    """Translate the name of a metric in another library; return None for a name that no library has.

    Parameters
    ----------
    text
        A name with parameters and cutoff; Neraca's own names are also found in another case.

    Raises
    ------
    SpecError
        The name is ambiguous, or no metric here has the same values; the error names similar ones.

    Examples
    --------
    >>> str(translate("precision@5")), str(translate("rougeL(stat=r)")), translate("Mine")
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
    own_name = {fold(name_here): name_here for name_here in MODULE_BY_NAME}.get(fold(name))
    return Spec(own_name) if own_name else None


def _single_name(text: str, alias: Alias, names_here: str) -> str:
    if not names_here:
        raise SpecError(f"{text!r} is not taken, for it is another number or could be several: {alias.note}")
    if " " in names_here:
        raise SpecError(f"{text!r} is several metrics; name one of {names_here}")
    return names_here


#: The metrics of an average that names none; also the default metrics of `neraca browser`.
AVERAGED = ("TFIDF", "ROUGE-L", "ExactMatch", "TokenF1", "METEOR", "TokenRecall")


def is_average(name: str) -> bool:
    """Return whether a bare name asks for the average of the metrics beside it."""
    alias = _by_name().get(fold(name))
    return alias is not None and alias.ours == "Average"


#: The least similarity at which a name is suggested: nDCG for nDGC, but not prec for Nope.
_ALIKE = 0.65


def unknown_name(name: str, own_names: Iterable[str]) -> str:
    """Return the error for an unknown name, with similar names of metrics here and in other libraries."""
    candidates = {fold(own_name): own_name for own_name in own_names}
    for alias in ALIASES:
        if alias.ours or alias.at:
            candidates |= {fold(text): text for text in alias.names.split() if fold(text) not in candidates}
    near = nearest(name, list(candidates.values()), _ALIKE, say("neraca metrics lists all"))
    return say("no {kind} is called {name!r}; {advice}", kind=say("metric"), name=name, advice=near)


def plain_heading(name: str) -> str:
    """Return a metric's name as a heading of lower-case letters, digits and underscores.

    The first alias of the metric that is such a heading is preferred.  Every heading is accepted as a metric's name.

    >>> plain_heading("ROUGE-L"), plain_heading("TFIDF"), plain_heading("nDCG@10"), plain_heading("LengthRatio")
    ('rouge_l', 'cosine_similarity', 'ndcg_at_10', 'length_ratio')
    """
    name, _, cutoff = name.partition("@") if name.count("@") == 1 and name[-1:].isdigit() else (name, "", "")
    first_aliases = (
        alias.names.split()[0] for alias in ALIASES if name == (alias.at or alias.ours if cutoff else alias.ours)
    )
    familiar_name = next(filter(str.isidentifier, first_aliases), "")
    spaced = familiar_name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("+", " plus"))
    plain = re.sub(r"\W+", "_", spaced).strip("_").lower()
    return f"{plain}_at_{cutoff}" if cutoff else plain


def table() -> str:
    """Return the table of foreign names, as Markdown."""
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

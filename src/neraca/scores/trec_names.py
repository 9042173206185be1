"""trec_eval's names of metrics, for those who have them in their fingers and scripts."""

from __future__ import annotations

import re

from neraca.registry import split_specs

_PLAIN = {
    "map": "AP",
    "gm_map": "GMAP",
    "11pt_avg": "IAP",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "bpref": "Bpref",
    "infAP": "InfAP",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "prefs_simp": "Prefs",
    "prefs_pair": "Prefs(per=pair)",
    "prefs_avgjg": "Prefs(per=group)",
    "prefs_simp_ret": "Prefs(of=both)",
    "prefs_pair_ret": "Prefs(of=both,per=pair)",
    "prefs_avgjg_ret": "Prefs(of=both,per=group)",
    "prefs_simp_imp": "Prefs(of=either)",
    "prefs_pair_imp": "Prefs(of=either,per=pair)",
    "prefs_avgjg_imp": "Prefs(of=either,per=group)",
}
_CUT = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}
_DEPTHS = "5,10,15,20,30,100,200,500,1000"
#: What trec_eval makes of a name without a cutoff; `P` alone is ours, P@10.
_BARE = {"recall": _DEPTHS, "ndcg_cut": _DEPTHS, "map_cut": _DEPTHS, "success": "1,5,10"}
_RECALLS = "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0"
#: `P_10`, `P.5,10`, `ndcg_cut.10`, `iprec_at_recall_0.10`, `recall`.
_NUMBERS = r"\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*"
_PATTERN = re.compile(
    rf"(?<![\w.(=+-])(?:(?P<cut>{'|'.join(_CUT)})[._](?P<depths>\d+(?:,\d+)*)|(?P<bare>{'|'.join(_BARE)})"
    rf"|iprec_at_recall(?:[._](?P<recalls>{_NUMBERS}))?)(?![\w.(@+-])"
)


def ours(names: str) -> list[str]:
    """Split a list of names, and put ours in the place of trec_eval's.

    >>> ours("map ndcg_cut.5,10 P_10 RBP(p=0.8)")
    ['AP', 'nDCG@5', 'nDCG@10', 'P@10', 'RBP(p=0.8)']
    """
    return [_PLAIN.get(name, name) for name in split_specs(re.sub(_PATTERN, _ours, names))]


def _ours(match: re.Match[str]) -> str:
    if name := match["cut"] or match["bare"]:
        depths = match["depths"] or _BARE[name]
        return " ".join(f"{_CUT[name]}@{depth}" for depth in depths.split(","))
    recalls = match["recalls"] or _RECALLS
    return " ".join(f"IPrec({float(recall):g})" for recall in recalls.split(","))

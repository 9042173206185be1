"""trec_eval's names of metrics, for those who have them in their fingers and scripts."""

from __future__ import annotations

import re

from neraca.registry import split_specs

_PLAIN = {
    "map": "AP",
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
}
_CUT = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}
#: `P_10`, `P.5,10`, `ndcg_cut.10`.
_PATTERN = re.compile(rf"(?<![\w.(=])({'|'.join(_CUT)})[._](\d+(?:,\d+)*)(?![\w.])")


def ours(names: str) -> list[str]:
    """Split a list of names, and put ours in the place of trec_eval's.

    >>> ours("map ndcg_cut.5,10 P_10 RBP(p=0.8)")
    ['AP', 'nDCG@5', 'nDCG@10', 'P@10', 'RBP(p=0.8)']
    """
    whole = re.sub(_PATTERN, lambda cut: " ".join(f"{_CUT[cut[1]]}@{k}" for k in cut[2].split(",")), names)
    return [_PLAIN.get(name, name) for name in split_specs(whole)]

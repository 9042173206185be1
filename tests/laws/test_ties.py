"""The value of a run lies between those of the worst and the best order of its tied documents."""

import math

from hypothesis import given
from hypothesis import strategies as st

from neraca.scores.ranking_basis import ranking_basis
from neraca.scores.trec import trec

METRICS = (
    "AP RR Rprec P@2 R@3 DCG@2 nDCG@3 nDCG(gains=exp) ERR RBP(p=0.8) Bpref InfAP Condensed(nDCG) INST TBG UMeasure IAP "
    "GMAP BPM IFT Residual(RBP(p=0.5)) Success@2 SetP NumRelRet"
)
DOCUMENTS = "abcdefgh"
GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), min_size=1)
SCORES = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from((1.0, 2.0)), min_size=2)


def renamed(names, docs):
    return {names[doc]: value for doc, value in docs.items()}


@given(GRADES, SCORES, st.permutations(DOCUMENTS))
def test_no_other_names_of_documents_bring_a_value_out_of_its_range(grades, run, ids):
    """Ids decide the order of tied documents, and nothing else."""
    names = dict(zip(DOCUMENTS, ids, strict=True))
    scores = trec({"q": grades}, {"run": {"q": run}}, METRICS)
    others = trec({"q": renamed(names, grades)}, {"run": {"q": renamed(names, run)}}, METRICS)
    for metric in scores.metrics:
        value, other = scores.mean(metric), others.mean(metric)
        basis = ranking_basis(scores.run(), metric)
        low, high = sorted((basis.worst, basis.best)) if basis.tied else (value, value)
        for each in (value, other):
            assert math.isnan(each) or low - 1e-9 <= each <= high + 1e-9, str(metric)

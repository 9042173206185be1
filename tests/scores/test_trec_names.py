import pytest

from neraca.metrics.metric import Metric
from neraca.scores.trec_names import ours

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)  # trec_eval 9, e.g. m_P.c and m_ndcg_cut.c


@pytest.mark.parametrize(
    "theirs, expected",
    [
        ("map", "AP"),
        ("recip_rank", "RR"),
        ("ndcg", "nDCG"),
        ("bpref", "Bpref"),
        ("infAP", "InfAP"),
        ("Rprec", "Rprec"),
        ("gm_map 11pt_avg", "GMAP IAP"),
        ("prefs_simp prefs_pair_ret prefs_avgjg_imp", "Prefs Prefs(of=both,per=pair) Prefs(of=either,per=group)"),
        ("set_P set_recall set_F", "SetP SetR SetF"),
        ("num_ret num_rel num_rel_ret", "NumRet NumRel NumRelRet"),
        ("P_5", "P@5"),
        ("P.5", "P@5"),
        ("P_5,10", "P@5 P@10"),
        ("P.5,10,AP", "P@5 P@10 AP"),
        ("recall_100", "R@100"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.5,10", "nDCG@5 nDCG@10"),
        ("map_cut_1000,map", "AP@1000 AP"),
        ("success_1,5", "Success@1 Success@5"),
        ("iprec_at_recall_0.10", "IPrec(0.1)"),
        ("iprec_at_recall.0.25,1", "IPrec(0.25) IPrec(1)"),
        ("recall", " ".join(f"R@{k}" for k in DEPTHS)),
        ("ndcg_cut", " ".join(f"nDCG@{k}" for k in DEPTHS)),
        ("map_cut", " ".join(f"AP@{k}" for k in DEPTHS)),
        ("success", "Success@1 Success@5 Success@10"),
        ("iprec_at_recall", " ".join(f"IPrec({tenths / 10:g})" for tenths in range(11))),
    ],
)
def test_names_of_trec_eval(theirs, expected):
    assert ours(theirs) == expected.split()
    assert [str(Metric.of(name)) for name in ours(theirs)] == expected.split()


@pytest.mark.parametrize(
    "names",
    [
        "P",  # is P@10 here, as everywhere
        "P@5",
        "R@5",
        "RBP(p=0.8)@10",
        "Condensed(AP)",
        "Condensed(nDCG(gains=exp)@10)",
        "nDCG(gains=exp,discount=jk)@10",
        "Mine_P_5",
        "my.recall",
        "recall-weighted",
        "x-recall",
        "P_5x",
        "P_5.5",
        "success(at=5)",
        "recall@5",
    ],
)
def test_other_names_are_left_as_they_are(names):
    assert ours(names) == [names]


def test_a_list_with_commas_spaces_and_line_ends():
    assert ours(" map,P_5,10\n RBP( p = 0.8 )  nDCG @ 10 ") == ["AP", "P@5", "P@10", "RBP(p = 0.8 )", "nDCG@10"]
    assert ours("") == ours(" , ") == []

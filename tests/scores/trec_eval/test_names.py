import pytest

from neraca.errors import SpecError
from neraca.scores.trec_eval.names import MEASURES, choose


def names(*words):
    return [name for each in choose(words) for name in each.names]


def test_the_official_measures_are_chosen_where_none_is_named():
    assert names()[:4] == ["runid", "num_q", "num_ret", "num_rel"]
    assert names() == names("official")
    assert len(names()) == 30  # the lines of trec_eval's test/out.test


@pytest.mark.parametrize(
    "words, printed",
    [
        (["P.10,5"], ["P_5", "P_10"]),
        (["Rprec_mult.2,0.5"], ["Rprec_mult_0.50", "Rprec_mult_2.00"]),
        (["utility.2,-1,0,0"], ["utility_2,-1,0,0"]),
        (["relstring.3", "relstring"], ["relstring_3"]),
        (["rbp.p=0.8,1=0.5"], ["rbp_p=0.8,1=0.5"]),
        (["unj", "map"], ["map", "unj_5", "unj_10", "unj_20"]),
        (["prefs"], ["runid", "num_q", *(f"prefs_{what}" for what in
                     ("num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret", "simp", "pair", "avgjg"))]),
    ],
)  # fmt: skip
def test_they_stand_in_the_order_of_printing(words, printed):
    assert names(*words) == printed


def test_a_measure_of_a_nickname_keeps_its_own_parameters():
    assert "P_7" in names("official", "P.7")
    assert "P_5" not in names("P.7", "official")


def test_numbers_are_those_that_were_given():
    [gains] = choose(["rbp.p=0.8,2=0.5"])
    assert gains.numbers == ({"p": 0.8, 2: 0.5},)
    [cutoffs] = choose(["ndcg_cut.10,23.4"])
    assert cutoffs.numbers == [10, 23]
    [weight] = choose(["set_F.4"])
    assert weight.numbers == ((4.0,),)


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["P.0"], "-m P.0: cutoffs are above 0, and each stands once"),
        (["P.5,5.5"], "cutoffs are above 0, and each stands once"),
        (["P.five"], "-m P.five: write numbers with commas between them"),
        (["P.inf"], "write numbers with commas"),
        (["P."], "-m P.: P takes no such parameters; write -m P"),
        (["map.5"], "-m map.5: map takes no such parameters; write -m map"),
        (["official.5"], "official takes no such parameters"),
        (["P.5", "P.10"], "-m P.10: the parameters of P are given twice; write them into one -m"),
        (["utility.1,2"], "utility takes 4 numbers"),
        (["relstring.1,2"], "relstring takes 1 number"),
        (["set_F.-1"], "the weight of recall is 0 or more"),
        (["11pt_avg.0.5,0.2"], "recalls stand in rising order"),
        (["ndcg.1"], "-m ndcg.1: write GRADE=GAIN, such as 1=3.5,2=9"),
        (["ndcg.p=1"], "-m ndcg.p=1: write GRADE=GAIN, such as 1=3.5,2=9"),
        (["ndcg.-1=2"], "documents that nobody judged gain nothing; leave -1 out"),
    ],
)
def test_what_is_refused(words, complaint):
    with pytest.raises(SpecError) as refused:
        choose(words)
    assert complaint in str(refused.value)


def test_every_measure_has_a_name_of_its_own():
    # as many as trec_eval 10 lists in measures.c
    assert len({measure.name for measure in MEASURES}) == len(MEASURES) == 57

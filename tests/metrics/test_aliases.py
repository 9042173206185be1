from pathlib import Path

import pytest

from neraca.errors import SpecError
from neraca.metrics import MODULE_BY_NAME
from neraca.metrics.alias_table import ALIASES
from neraca.metrics.aliases import fold, of_trec_eval, plain_heading, split_names, table
from neraca.metrics.metric import METRICS, Metric, metric
from neraca.scores.trec import trec_metrics

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
    assert list(map(str, trec_metrics(theirs))) == expected.split()


@pytest.mark.parametrize(
    "theirs, ours",
    [
        # ranx
        *(("precision@5", "P@5"), ("recall@5", "R@5"), ("hit_rate@5", "Success@5"), ("mrr", "RR"), ("mrr@10", "RR@10")),
        *(("map@100", "AP@100"), ("ndcg@10", "nDCG@10"), ("ndcg_burges@10", "nDCG(gains=exp)@10"), ("bpref", "Bpref")),
        *(("r-precision", "Rprec"), ("rbp.95", "RBP(p=0.95,rel=1)")),
        # ir_measures
        *(("NDCG@10", "nDCG@10"), ("MAP", "AP"), ("MRR@10", "RR@10"), ("Recall@5", "R@5"), ("Precision@5", "P@5")),
        *(
            ("infAP", "InfAP"),
            ("AP_IA", "MAP_IA"),
            ("RPrec", "Rprec"),
            ("BPref", "Bpref"),
            ("alpha_ndcg@20", "alpha_nDCG@20"),
        ),
        # trec_eval, one at a time
        *(("map", "AP"), ("P_5", "P@5"), ("ndcg_cut_10", "nDCG@10"), ("recip_rank", "RR"), ("success_1", "Success@1")),
        # MTEB, BEIR
        *(("ndcg_at_10", "nDCG@10"), ("recall_at_100", "R@100"), ("precision_at_5", "P@5"), ("mrr_at_10", "RR@10")),
        # Hugging Face, NLTK, and scripts of people
        *(("rougeL", "ROUGE-L"), ("rouge_l", "ROUGE-L"), ("rouge1", "ROUGE-1"), ("rougeLsum", "ROUGE-Lsum")),
        *(("bleu", "BLEU"), ("bleu_4", "BLEU"), ("bleu_2", "BLEU(order=2)"), ("meteor", "METEOR"), ("wer", "WER")),
        *(("cosine_similarity", "TFIDF"), ("token_f1", "TokenF1"), ("exact_match", "ExactMatch"), ("chrf", "chrF")),
        *(("rouge_l_score", "ROUGE-L"), ("meteor_score", "METEOR"), ("rougeL(stat=r)", "ROUGE-L(stat=r)")),
        # ragas
        *(
            ("faithfulness", "Faithfulness"),
            ("answer_relevancy", "AnswerRelevance"),
            ("context_recall", "ContextRecall"),
        ),
        *(("ResponseRelevancy", "AnswerRelevance"), ("answer_correctness", "AnswerCorrectness")),
        *(("context_precision", "ContextPrecision"), ("llm_context_precision_with_reference", "ContextPrecision")),
        *(("factual_correctness", "ClaimF"), ("factual_correctness(mode=recall)", "ClaimRecall")),
        *(("semantic_similarity", "Similarity"), ("noise_sensitivity(mode=relevant)", "NoiseSensitivity")),
        *(
            ("noise_sensitivity_irrelevant", "NoiseSensitivity(contexts=irrelevant)"),
            ("AspectCritic(polite)", "Aspect(polite)"),
        ),
        *(
            ("ToolCallAccuracy", "ToolCallAccuracy"),
            ("tool_call_accuracy", "ToolCallAccuracy"),
            ("ToolCallF1", "ToolCallF1"),
        ),
        *(
            ("DataCompyScore", "RowMatch"),
            ("LLMSQLEquivalence", "SQLEquivalent"),
            ("agent_goal_accuracy", "GoalReached"),
        ),
        # deepeval
        *(("ContextualRecallMetric", "ContextRecall"), ("ContextualPrecisionMetric", "ContextPrecision")),
        # inside of others
        *(("Average(rougeL,bleu)", "Average(ROUGE-L,BLEU)"), ("Condensed(ndcg@10)", "Condensed(nDCG@10)")),
    ],
)
def test_names_of_other_libraries(theirs, ours):
    assert str(Metric.of(theirs)) == ours == str(Metric.of(ours))


@pytest.mark.parametrize(
    "name, told",
    [
        (
            "recall",
            r"'recall' is not taken, for .* could be several: with a cutoff R@k; else SetR .*TokenRecall",
        ),
        ("f1", r"SetF \(of hits\), TokenF1 \(of words\), ClaimF"),
        ("rouge", "ROUGE-1, ROUGE-2, ROUGE-L or ROUGE-Lsum"),
        ("FaithfulnessMetric", "Faithfulness counts .* deepeval only one that is contradicted"),
        ("context_utilization", "RAGChecker's is ContextUtilisation; that of ragas is ContextPrecision"),
        ("hole@10", "Judged@k is 1 - hole@k"),
        ("sacrebleu", r"CorpusBLEU.* from 0 to 1, not 100"),
        ("ndcg_cut", r"is several metrics; name one of nDCG@5 nDCG@10"),
        ("rougeL@5", "ROUGE-L has no parameter 'at'"),
        ("Nope", "no metric is called 'Nope'; neraca metrics lists all"),
        ("precison@5", r"no metric is called 'precison'; did you mean .*\bprecision\b"),
    ],
)
def test_a_name_that_says_too_little_or_another_number_is_refused_with_what_comes_near(name, told):
    with pytest.raises(SpecError, match=told):
        Metric.of(name)


def test_only_trec_means_nine_depths_by_recall():
    assert of_trec_eval("recall AP") == " ".join(f"R@{k}" for k in DEPTHS) + " AP"
    with pytest.raises(SpecError, match="could be several"):
        Metric.several("recall")


@pytest.mark.parametrize("name", ["Mine_P_5", "my.recall", "recall-weighted", "x-recall", "P_5x", "P_5.5", "average_5"])
def test_a_part_of_a_name_is_no_name(name):
    assert split_names(name) == [name]
    with pytest.raises(SpecError, match=f"no metric is called '{name}'"):
        Metric.of(name)


def test_a_list_with_commas_spaces_and_line_ends():
    assert split_names(" map,P_5,10\n RBP( p = 0.8 )  nDCG @ 10 ") == ["map", "P@5", "P@10", "RBP(p = 0.8 )", "nDCG@10"]
    assert split_names("") == split_names(" , ") == []
    assert list(map(str, Metric.several("ndcg_cut.5,10 rougeL"))) == ["nDCG@5", "nDCG@10", "ROUGE-L"]


def test_the_average_of_the_others_that_are_named():
    named = list(map(str, Metric.several("rouge_l average_score bleu")))
    assert named == ["ROUGE-L", "BLEU", "Average(ROUGE-L,BLEU)"]


def test_a_metric_of_ones_own_goes_before_the_name_of_another_library():
    @metric("sacrebleu")
    def own(response: str) -> float:
        return 1.0

    try:
        assert Metric.of("sacrebleu").definition.function is own
    finally:
        METRICS._objects.pop("sacrebleu")
        METRICS._sources.pop("sacrebleu")


def test_each_name_stands_in_the_table_once_and_takes_no_name_of_ours():
    names = [name for alias in ALIASES for name in {fold(name) for name in alias.names.split()}]
    assert len(names) == len(set(names))
    ours = {fold(name): name for name in MODULE_BY_NAME}
    for alias in ALIASES:
        for name in alias.names.split():
            if fold(name) in ours:  # ours in lower case is ours
                assert ours[fold(name)] in (alias.ours.partition("(")[0], alias.at), name


def test_what_is_in_the_table_is_a_metric():
    for alias in ALIASES:
        for ours in [*alias.ours.split(), *alias.trec.split(), *([f"{alias.at}@5"] if alias.at else [])]:
            if ours not in ("Aspect", "Average", "Rubric"):  # which need a name, or have others in theirs
                assert str(Metric.of(ours)).partition("@")[0] == ours.partition("@")[0]
        assert alias.ours or alias.note


def test_the_table_in_the_guide_is_that_of_the_program():
    guide = (Path(__file__).parents[2] / "docs" / "names.md").read_text(encoding="utf-8")
    assert table() in guide, "write it anew: neraca metrics --names"


@pytest.mark.parametrize("name", sorted(MODULE_BY_NAME))
def test_plain_headings_are_names_too(name):
    if name not in (
        "Aspect",
        "Average",
        "CWL",
        "Condensed",
        "IPrec",
        "PassRate",
        "Preferred",
        "Residual",
        "Rubric",
        "Value",
    ):
        plain = plain_heading(str(Metric.of(name)))
        assert plain.replace("_", "").isalnum()
        assert plain == plain.lower()
        assert Metric.of(plain) == Metric.of(name)


@pytest.mark.parametrize(
    "name, plain",
    [
        *(("ROUGE-L", "rouge_l"), ("BLEU", "bleu"), ("METEOR", "meteor"), ("TFIDF", "cosine_similarity")),
        *(
            ("TokenF1", "token_f1"),
            ("TokenRecall", "token_recall"),
            ("ExactMatch", "exact_match"),
            ("P@5", "precision_at_5"),
        ),
        *(("nDCG@10", "ndcg_at_10"), ("RR", "mrr"), ("BLEU(smoothing=method0)", "bleu_smoothing_method0")),
        *(("ROUGE-L(tokens=google)", "rouge_l_tokens_google"), ("Mine", "mine"), ("chrF++", "chrf_plus_plus")),
    ],
)
def test_plain_headings(name, plain):
    assert plain_heading(name) == plain

"""The names that other libraries have for metrics, as a table that `neraca.metrics.aliases` reads."""

from __future__ import annotations

from typing import NamedTuple


class Alias(NamedTuple):
    """Foreign names of one metric, and its name here.

    Attributes
    ----------
    names
        The foreign names, separated by spaces.
    ours
        The metric here, or several; "" if none has the same values.
    whose
        The libraries with this name.
    note
        A remark; if `ours` is empty, similar metrics and how they differ.
    at
        The metric for a name with a cutoff: `name@5`, `name_5`, `name.5`, `name_at_5`.
    trec
        The metrics that trec_eval means by the bare name, for `neraca trec`.
    """

    names: str
    ours: str
    whose: str
    note: str = ""
    at: str = ""
    trec: str = ""


def at_depths(name: str, depths: str) -> str:
    """Return a metric at each of several depths, separated by spaces."""
    return " ".join(f"{name}@{depth}" for depth in depths.split())


_DEPTHS = "5 10 15 20 30 100 200 500 1000"
_TREC, _RANX, _IRM = "trec_eval", "ranx", "ir_measures"
_HF, _RAGAS, _DEEPEVAL = "Hugging Face evaluate", "ragas", "deepeval"

ALIASES = (
    Alias(
        "precision",
        "",
        f"{_RANX}, {_IRM}, BEIR",
        "with a cutoff P@k; else SetP (of all hits), TokenPrecision (of words), ClaimPrecision or QueryPrecision",
        at="P",
    ),
    Alias(
        "recall",
        "",
        f"{_TREC}, {_RANX}, {_IRM}, BEIR",
        "with a cutoff R@k; else SetR (of all hits), TokenRecall (of words), ClaimRecall or QueryRecall",
        at="R",
        trec=at_depths("R", _DEPTHS),
    ),
    Alias("p prec", "P", f"{_TREC}, {_IRM}", at="P"),
    Alias("r rec", "R", _IRM, at="R"),
    Alias("hit_rate", "Success", f"{_RANX}, LlamaIndex", "a right empty answer counts as 1", at="Success"),
    Alias("success", "Success", f"{_TREC}, {_IRM}", at="Success", trec=at_depths("Success", "1 5 10")),
    Alias("hits", "", _RANX, "Success@k is whether there is any relevant hit, NumRelRet how many there are"),
    Alias(
        "f1 f f_score f_measure",
        "",
        f"{_RANX}, {_HF}",
        "SetF (of hits), TokenF1 (of words), ClaimF, QueryF1 or ToolCallF1",
    ),
    Alias("mrr recip_rank reciprocal_rank", "RR", f"{_TREC}, {_RANX}, {_IRM}, BEIR", at="RR"),
    Alias("map average_precision", "AP", f"{_TREC}, {_RANX}, {_IRM}, BEIR", at="AP"),
    Alias("map_cut", at_depths("AP", _DEPTHS), _TREC, at="AP"),
    Alias("ndcg", "nDCG", f"{_TREC}, {_RANX}, {_IRM}, BEIR", at="nDCG"),
    Alias("ndcg_cut", at_depths("nDCG", _DEPTHS), _TREC, at="nDCG"),
    Alias("ndcg_burges", "nDCG(gains=exp)", _RANX, at="nDCG(gains=exp)"),
    Alias("dcg", "DCG", _RANX, at="DCG"),
    Alias("dcg_burges", "DCG(gains=exp)", _RANX, at="DCG(gains=exp)"),
    Alias("rprec r_precision", "Rprec", f"{_TREC}, {_RANX}, {_IRM}"),
    Alias("bpref", "Bpref", f"{_TREC}, {_RANX}, {_IRM}"),
    Alias("infAP", "InfAP", f"{_TREC}, {_IRM}"),
    Alias("gm_map", "GMAP", f"{_TREC}, {_IRM}"),
    Alias("11pt_avg", "IAP", _TREC),
    Alias("prefs_simp", "Prefs", _TREC),
    Alias("prefs_pair", "Prefs(per=pair)", _TREC),
    Alias("prefs_avgjg", "Prefs(per=group)", _TREC),
    Alias("prefs_simp_ret", "Prefs(of=both)", _TREC),
    Alias("prefs_pair_ret", "Prefs(of=both,per=pair)", _TREC),
    Alias("prefs_avgjg_ret", "Prefs(of=both,per=group)", _TREC),
    Alias("prefs_simp_imp", "Prefs(of=either)", _TREC),
    Alias("prefs_pair_imp", "Prefs(of=either,per=pair)", _TREC),
    Alias("prefs_avgjg_imp", "Prefs(of=either,per=group)", _TREC),
    Alias("set_P overall_precision", "SetP", _TREC),
    Alias("set_recall", "SetR", _TREC),
    Alias("set_F", "SetF", _TREC),
    Alias("num_ret", "NumRet", _TREC),
    Alias("num_rel", "NumRel", _TREC),
    Alias("num_rel_ret", "NumRelRet", _TREC),
    Alias("iprec_at_recall", " ".join(f"IPrec({tenth / 10:g})" for tenth in range(11)), _TREC),
    Alias("ap_ia", "MAP_IA", _IRM),
    Alias("α_nDCG", "alpha_nDCG", _IRM, at="alpha_nDCG"),
    Alias("α_DCG", "alpha_DCG", _IRM, at="alpha_DCG"),
    Alias("hole", "", "BEIR", "Judged@k is 1 - hole@k"),
    Alias("setap set_map", "", f"{_TREC}, {_IRM}", "SetP times SetR; score the two"),
    Alias("rouge", "", _HF, "ROUGE-1, ROUGE-2, ROUGE-L or ROUGE-Lsum"),
    Alias("rouge_l rouge_l_score", "ROUGE-L", f"{_HF}, rouge_score", "with their words: ROUGE-L(tokens=google)"),
    Alias("rouge_1", "ROUGE-1", f"{_HF}, rouge_score", "with their words: ROUGE-1(tokens=google)"),
    Alias("rouge_2", "ROUGE-2", f"{_HF}, rouge_score", "with their words: ROUGE-2(tokens=google)"),
    Alias("rouge_lsum", "ROUGE-Lsum", f"{_HF}, rouge_score", "with their words: ROUGE-Lsum(tokens=google)"),
    Alias("rouge_score RougeScore rouge_score(mode=fmeasure)", "ROUGE-L(tokens=google+stem)", _RAGAS),
    Alias("rouge_score(mode=precision)", "ROUGE-L(stat=p,tokens=google+stem)", _RAGAS),
    Alias("rouge_score(mode=recall)", "ROUGE-L(stat=r,tokens=google+stem)", _RAGAS),
    Alias("bleu sentence_bleu bleu_4", "BLEU", f"{_HF}, NLTK", "of each answer; of all together it is CorpusBLEU"),
    Alias("bleu_1", "BLEU(order=1)", "NLTK"),
    Alias("bleu_2", "BLEU(order=2)", "NLTK"),
    Alias("bleu_3", "BLEU(order=3)", "NLTK"),
    Alias("corpus_bleu", "CorpusBLEU", "NLTK, sacreBLEU"),
    Alias(
        "bleu_score BleuScore", "BLEU(smoothing=exp,tokens=13a)", _RAGAS, "of the whole answer, not its first sentence"
    ),
    Alias("sacrebleu", "", _HF, "CorpusBLEU(smoothing=exp,tokens=13a) is the same from 0 to 1, not 100"),
    Alias("meteor meteor_score", "METEOR", f"{_HF}, NLTK", "without WordNet; with its words METEOR(tokens=nltk)"),
    Alias("chrf_score ChrfScore", "chrF", _RAGAS, "from 0 to 1"),
    Alias("chrf_plus_plus", "chrF++", "sacreBLEU", "from 0 to 1"),
    Alias(
        "cosine_similarity tfidf_cosine tf_idf",
        "TFIDF",
        "scikit-learn",
        "of words; of embeddings it is Similarity",
    ),
    Alias("token_f1 squad_f1", "TokenF1", "SQuAD", "with its words: TokenF1(tokens=squad)"),
    Alias("token_recall", "TokenRecall", "SQuAD"),
    Alias("token_precision", "TokenPrecision", "SQuAD"),
    Alias("exact_match em", "ExactMatch", f"{_HF}, SQuAD, {_RAGAS}", "case, punctuation and articles play no part"),
    Alias("squad", "", _HF, "TokenF1(tokens=squad) and ExactMatch(tokens=squad)"),
    Alias(
        "non_llm_string_similarity NonLLMStringSimilarity",
        "Levenshtein(tokens=raw)",
        _RAGAS,
    ),
    Alias("string_present string_presence StringPresence", "", _RAGAS, "TokenRecall says how much of it is present"),
    Alias("bertscore bert_score bleurt comet", "", _HF, "Similarity compares embeddings; its numbers are others"),
    Alias("accuracy", "", _HF, "ExactMatch (of texts), QueryAccuracy or ToolCallAccuracy"),
    Alias("average_score average mean_score", "Average", "", "of the other metrics that are named with it"),
    Alias("faithfulness", "Faithfulness", _RAGAS),
    Alias(
        "FaithfulnessMetric",
        "",
        _DEEPEVAL,
        "Faithfulness counts a claim that no context supports as unfaithful, deepeval only one that is contradicted",
    ),
    Alias(
        "answer_relevancy AnswerRelevancy response_relevancy ResponseRelevancy",
        "AnswerRelevance",
        _RAGAS,
        "deepeval's is another",
    ),
    Alias(
        "AnswerRelevancyMetric",
        "",
        _DEEPEVAL,
        "AnswerRelevance compares the question with questions that the answer would answer, deepeval counts relevant "
        "statements",
    ),
    Alias("context_recall LLMContextRecall llm_context_recall", "ContextRecall", _RAGAS, "of claims, not sentences"),
    Alias("contextual_recall ContextualRecallMetric", "ContextRecall", _DEEPEVAL, "of claims, not sentences"),
    Alias(
        "context_precision LLMContextPrecisionWithReference llm_context_precision_with_reference",
        "ContextPrecision",
        _RAGAS,
    ),
    Alias("contextual_precision ContextualPrecisionMetric", "ContextPrecision", _DEEPEVAL),
    Alias(
        "llm_context_precision_without_reference LLMContextPrecisionWithoutReference",
        "",
        _RAGAS,
        "ContextPrecision is this for questions without a reference; where there is one, it is used",
    ),
    Alias(
        "context_utilization ContextUtilization",
        "",
        f"{_RAGAS}, RAGChecker",
        "RAGChecker's is ContextUtilisation; that of ragas is ContextPrecision for questions without a reference",
    ),
    Alias(
        "context_relevancy context_relevance contextual_relevancy ContextRelevance ContextualRelevancyMetric "
        "nv_context_relevance",
        "",
        f"{_RAGAS}, {_DEEPEVAL}",
        "ContextPrecision weighs useful contexts by rank; the share of relevant sentences is not here",
    ),
    Alias(
        "context_entity_recall ContextEntityRecall",
        "",
        _RAGAS,
        "ContextRecall is of claims; OverlapNames looks at names and numbers of the answer",
    ),
    Alias(
        "response_groundedness ResponseGroundedness nv_response_groundedness",
        "",
        _RAGAS,
        "Faithfulness is the share of supported claims, Supported one yes or no for the answer",
    ),
    Alias(
        "answer_accuracy AnswerAccuracy nv_accuracy",
        "",
        _RAGAS,
        "AnswerCorrectness is from claims, Rubric(NAME) graded",
    ),
    Alias("answer_correctness", "AnswerCorrectness", _RAGAS),
    Alias("factual_correctness factual_correctness(mode=f1)", "ClaimF", _RAGAS),
    Alias("factual_correctness(mode=precision)", "ClaimPrecision", _RAGAS),
    Alias("factual_correctness(mode=recall)", "ClaimRecall", _RAGAS),
    Alias("answer_similarity semantic_similarity SemanticSimilarity", "Similarity", _RAGAS),
    Alias("noise_sensitivity_relevant noise_sensitivity(mode=relevant)", "NoiseSensitivity", _RAGAS),
    Alias(
        "noise_sensitivity_irrelevant noise_sensitivity(mode=irrelevant)",
        "NoiseSensitivity(contexts=irrelevant)",
        _RAGAS,
    ),
    Alias(
        "HallucinationMetric",
        "",
        _DEEPEVAL,
        "Hallucination is of claims of the answer, deepeval's of contexts it denies",
    ),
    Alias("aspect_critic AspectCritic", "Aspect", _RAGAS, "with the name of the criterion: Aspect(NAME)"),
    Alias(
        "rubrics_score RubricsScore simple_criteria_score SimpleCriteriaScore GEval",
        "Rubric",
        f"{_RAGAS}, {_DEEPEVAL}",
        "with the name of the criterion: Rubric(NAME)",
    ),
    Alias("tool_call_accuracy", "ToolCallAccuracy", _RAGAS, "its arguments count all or nothing"),
    Alias("tool_call_f1", "ToolCallF1", _RAGAS),
    Alias(
        "tool_correctness ToolCorrectnessMetric",
        "",
        _DEEPEVAL,
        "ToolCallAccuracy(order=free,arguments=ignore) also costs calls too many",
    ),
    Alias(
        "agent_goal_accuracy AgentGoalAccuracyWithReference AgentGoalAccuracyWithoutReference", "GoalReached", _RAGAS
    ),
    Alias("TaskCompletionMetric", "", _DEEPEVAL, "GoalReached is yes or no, Rubric(NAME) a grade"),
    Alias(
        "KnowledgeRetentionMetric",
        "KnowledgeRetention(share=true)",
        _DEEPEVAL,
        "the first turn does not count: it has nothing to keep to",
    ),
    Alias("RoleAdherenceMetric", "RoleAdherence(share=true)", _DEEPEVAL),
    Alias(
        "ConversationCompletenessMetric",
        "",
        _DEEPEVAL,
        "SessionGoalReached is yes or no on the whole conversation, deepeval the share of the user's intentions",
    ),
    Alias(
        "TopicAdherenceScore topic_adherence",
        "",
        _RAGAS,
        "RoleAdherence holds each answer to a role and its topics, ragas counts topics",
    ),
    Alias("DataCompyScore data_compare_score datacompy_score", "RowMatch", _RAGAS, "of columns it is ColumnMatch"),
    Alias(
        "LLMSQLEquivalence llm_sql_equivalence", "SQLEquivalent", _RAGAS, "both queries are run, where there is data"
    ),
)

"""What other libraries call a metric: the one table of names that people have in their fingers.

A name is taken where the number means the same here; the metric is printed by its own name.  Where it does not, or
where a name says too little, the error names what comes near.  Case, `_`, `-` and spaces play no part.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from neraca.errors import SpecError, nearest
from neraca.metrics import HOME
from neraca.registry import Spec, split_specs


class Alias(NamedTuple):
    """Names for one thing, and what it is here.

    Attributes
    ----------
    names
        Divided by spaces.
    ours
        The metric here, or several; "" where there is none that is the same.
    whose
        Who calls it so.
    note
        What to know; of a name that is not taken: what comes near, and how it differs.
    at
        What it is with a cutoff: `name@5`, `name_5`, `name.5`, `name_at_5`.
    trec
        What trec_eval means by the bare name, for `neraca trec`.
    """

    names: str
    ours: str
    whose: str
    note: str = ""
    at: str = ""
    trec: str = ""


def _each(name: str, depths: str) -> str:
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
        trec=_each("R", _DEPTHS),
    ),
    Alias("p prec", "P", f"{_TREC}, {_IRM}", at="P"),
    Alias("r rec", "R", _IRM, at="R"),
    Alias("hit_rate", "Success", f"{_RANX}, LlamaIndex", "a right empty answer counts as 1", at="Success"),
    Alias("success", "Success", f"{_TREC}, {_IRM}", at="Success", trec=_each("Success", "1 5 10")),
    Alias("hits", "", _RANX, "Success@k is whether there is any relevant hit, NumRelRet how many there are"),
    Alias(
        "f1 f f_score f_measure",
        "",
        f"{_RANX}, {_HF}",
        "SetF (of hits), TokenF1 (of words), ClaimF, QueryF1 or ToolCallF1",
    ),
    Alias("mrr recip_rank reciprocal_rank", "RR", f"{_TREC}, {_RANX}, {_IRM}, BEIR", at="RR"),
    Alias("map average_precision", "AP", f"{_TREC}, {_RANX}, {_IRM}, BEIR", at="AP"),
    Alias("map_cut", _each("AP", _DEPTHS), _TREC, at="AP"),
    Alias("ndcg", "nDCG", f"{_TREC}, {_RANX}, {_IRM}, BEIR", at="nDCG"),
    Alias("ndcg_cut", _each("nDCG", _DEPTHS), _TREC, at="nDCG"),
    Alias("ndcg_burges", "nDCG(gains=exp)", _RANX, at="nDCG(gains=exp)"),
    Alias("dcg", "DCG", _RANX, at="DCG"),
    Alias("dcg_burges", "DCG(gains=exp)", _RANX, at="DCG(gains=exp)"),
    Alias("rprec r_precision", "Rprec", f"{_TREC}, {_RANX}, {_IRM}"),
    Alias("bpref", "Bpref", f"{_TREC}, {_RANX}, {_IRM}"),
    Alias("infAP", "InfAP", f"{_TREC}, {_IRM}"),
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
    Alias("DataCompyScore data_compare_score datacompy_score", "RowMatch", _RAGAS, "of columns it is ColumnMatch"),
    Alias(
        "LLMSQLEquivalence llm_sql_equivalence", "SQLEquivalent", _RAGAS, "both queries are run, where there is data"
    ),
)

_SAME = re.compile(r"[\s_-]+")
_CUTOFF = re.compile(r"(.+?)(_at_|[_.-])(\d+)")
_RBP = re.compile(r"rbp\.(\d+)", re.IGNORECASE)
#: What trec_eval takes several of at once: `P.5,10`, `iprec_at_recall_0.10`.
_CUT = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}
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
        return _each(_CUT[name], match["depths"].replace(",", " "))
    return " ".join(f"IPrec({float(recall):g})" for recall in match["recalls"].split(","))


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

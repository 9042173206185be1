"""Weighs RAG and search systems against each other: ask, judge, score, compare, report.

The face of the package: each verb is one function, each noun one class.  They are imported when first used, so that
`import neraca` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neraca.comparisons.compare import compare as compare
    from neraca.comparisons.compare_folders import compare_folders as compare_folders
    from neraca.comparisons.corrected import CorrectedDifferences as CorrectedDifferences
    from neraca.comparisons.corrected import corrected_differences as corrected_differences
    from neraca.comparisons.difference import Difference as Difference
    from neraca.comparisons.difference import Differences as Differences
    from neraca.comparisons.drift import drift as drift
    from neraca.comparisons.drift_result import Drift as Drift
    from neraca.comparisons.gate import gate as gate
    from neraca.comparisons.gate_decision import Gate as Gate
    from neraca.comparisons.gate_rule import Rule as Rule
    from neraca.comparisons.power import power as power
    from neraca.comparisons.power_curve import Power as Power
    from neraca.comparisons.preferences import Preferences as Preferences
    from neraca.comparisons.preferences import preferences as preferences
    from neraca.datasets.dataset import Dataset as Dataset
    from neraca.datasets.read_dataset import read_dataset as read_dataset
    from neraca.datasets.write_dataset import write_dataset as write_dataset
    from neraca.errors import BudgetReached as BudgetReached
    from neraca.errors import InputError as InputError
    from neraca.errors import NeracaError as NeracaError
    from neraca.errors import SpecError as SpecError
    from neraca.generation.document_question_set import DocumentQuestions as DocumentQuestions
    from neraca.generation.document_questions import generate_from_documents as generate_from_documents
    from neraca.generation.log_questions import LogQuestions as LogQuestions
    from neraca.generation.log_questions import generate_from_log as generate_from_log
    from neraca.generation.question_set import QuestionSet as QuestionSet
    from neraca.generation.question_set import generate as generate
    from neraca.generation.variants import Variants as Variants
    from neraca.generation.variants import add_variants as add_variants
    from neraca.judges.judge import Judge as Judge
    from neraca.judges.judge import JudgeResult as JudgeResult
    from neraca.judges.judge import judge as judge
    from neraca.judges.judge import judge_async as judge_async
    from neraca.judges.llm.aspect import AspectJudge as AspectJudge
    from neraca.judges.llm.claims import ClaimsJudge as ClaimsJudge
    from neraca.judges.llm.corpus import CorpusJudge as CorpusJudge
    from neraca.judges.llm.pairwise import PairwiseJudge as PairwiseJudge
    from neraca.judges.llm.pairwise import judge_pairs as judge_pairs
    from neraca.judges.llm.pairwise import judge_pairs_async as judge_pairs_async
    from neraca.judges.llm.relevance import RelevanceJudge as RelevanceJudge
    from neraca.judges.llm.rubric import RubricJudge as RubricJudge
    from neraca.judges.llm.sessions import ConsistentJudge as ConsistentJudge
    from neraca.judges.llm.sessions import RemembersJudge as RemembersJudge
    from neraca.judges.llm.sessions import ResolvesJudge as ResolvesJudge
    from neraca.judges.llm.sessions import StaysJudge as StaysJudge
    from neraca.judges.llm.yes_no import SupportedJudge as SupportedJudge
    from neraca.judges.llm.yes_no import ValidJudge as ValidJudge
    from neraca.judges.rules.declines import DeclinesJudge as DeclinesJudge
    from neraca.judges.rules.lexical_screen import LexicalScreenJudge as LexicalScreenJudge
    from neraca.judges.rules.rules_judge import RulesJudge as RulesJudge
    from neraca.judges.similarity import SimilarityJudge as SimilarityJudge
    from neraca.judges.sql.sql_judge import SqlJudge as SqlJudge
    from neraca.metaeval.agreement import Agreements as Agreements
    from neraca.metaeval.agreement import agreement as agreement
    from neraca.metaeval.correlate import correlate as correlate
    from neraca.metaeval.correlations import Correlations as Correlations
    from neraca.metaeval.judge_validation import JudgeValidation as JudgeValidation
    from neraca.metaeval.judge_validation import validate_judge as validate_judge
    from neraca.metaeval.label_plan import LabelPlan as LabelPlan
    from neraca.metaeval.label_plan import LabelPlanOptions as LabelPlanOptions
    from neraca.metaeval.label_plan import plan_labels as plan_labels
    from neraca.metaeval.reliability import Reliability as Reliability
    from neraca.metaeval.reliability import reliability as reliability
    from neraca.metrics.metric import Metric as Metric
    from neraca.metrics.metric import metric as metric
    from neraca.metrics.text.answer_check import CheckedAnswer as CheckedAnswer
    from neraca.metrics.text.answer_check import check as check
    from neraca.models.model_session import ModelSession as ModelSession
    from neraca.online.ab import ab as ab
    from neraca.online.click_models.click_models import ClickModels as ClickModels
    from neraca.online.click_models.click_models import click_models as click_models
    from neraca.online.experiment import AbOptions as AbOptions
    from neraca.online.experiment import Experiment as Experiment
    from neraca.online.interleaving.interleave import Interleaved as Interleaved
    from neraca.online.interleaving.interleave import interleave as interleave
    from neraca.online.interleaving.interleaving_result import InterleavingResult as InterleavingResult
    from neraca.online.interleaving.preference import analyse_interleaving as analyse_interleaving
    from neraca.online.log_options import LogOptions as LogOptions
    from neraca.online.search_log import SearchLog as SearchLog
    from neraca.online.search_log import search_log as search_log
    from neraca.people.pool import Pool as Pool
    from neraca.phase import PhaseResults as PhaseResults
    from neraca.records import Answer as Answer
    from neraca.records import Constraint as Constraint
    from neraca.records import Hit as Hit
    from neraca.records import Item as Item
    from neraca.records import Verdict as Verdict
    from neraca.reports.formats.write import write_report as write_report
    from neraca.reports.report import Report as Report
    from neraca.reports.report import report as report
    from neraca.reports.sentences.notes import notes as notes
    from neraca.runs.ask import ask as ask
    from neraca.runs.ask import ask_async as ask_async
    from neraca.runs.run import Run as Run
    from neraca.runs.runner import AskOptions as AskOptions
    from neraca.scores.engine.scored import ScoredFolder as ScoredFolder
    from neraca.scores.evaluations import Evaluations as Evaluations
    from neraca.scores.evaluations import evaluations as evaluations
    from neraca.scores.judge_corrections import CorrectedScores as CorrectedScores
    from neraca.scores.judge_corrections import corrections as corrections
    from neraca.scores.pool import pool as pool
    from neraca.scores.score import score as score
    from neraca.scores.score_parquet import ScaleOptions as ScaleOptions
    from neraca.scores.score_parquet import score_parquet as score_parquet
    from neraca.scores.scores import RunScores as RunScores
    from neraca.scores.scores import Score as Score
    from neraca.scores.scores import Scores as Scores
    from neraca.scores.sources.values import values as values
    from neraca.scores.text import text as text
    from neraca.scores.trec import trec as trec
    from neraca.scores.variants import by_variant as by_variant
    from neraca.study import StudyOptions as StudyOptions
    from neraca.study import run_study as run_study
    from neraca.study import run_study_async as run_study_async
    from neraca.targets.target import Conversation as Conversation
    from neraca.targets.target import Target as Target
    from neraca.traces.probe import TraceProbe as TraceProbe
    from neraca.traces.trace_reading import TraceReading as TraceReading
    from neraca.traces.trace_reading import read_traces as read_traces

_HOME = {
    "AbOptions": "online.experiment",
    "Agreements": "metaeval.agreement",
    "Answer": "records",
    "AskOptions": "runs.runner",
    "AspectJudge": "judges.llm.aspect",
    "BudgetReached": "errors",
    "CheckedAnswer": "metrics.text.answer_check",
    "ClaimsJudge": "judges.llm.claims",
    "ClickModels": "online.click_models.click_models",
    "ConsistentJudge": "judges.llm.sessions",
    "Constraint": "records",
    "Conversation": "targets.target",
    "CorpusJudge": "judges.llm.corpus",
    "CorrectedDifferences": "comparisons.corrected",
    "CorrectedScores": "scores.judge_corrections",
    "Correlations": "metaeval.correlations",
    "Dataset": "datasets.dataset",
    "DeclinesJudge": "judges.rules.declines",
    "Difference": "comparisons.difference",
    "Differences": "comparisons.difference",
    "DocumentQuestions": "generation.document_question_set",
    "Drift": "comparisons.drift_result",
    "Evaluations": "scores.evaluations",
    "Experiment": "online.experiment",
    "Gate": "comparisons.gate",
    "Hit": "records",
    "InputError": "errors",
    "Interleaved": "online.interleaving.interleave",
    "InterleavingResult": "online.interleaving.interleaving_result",
    "Item": "records",
    "Judge": "judges.judge",
    "JudgeResult": "judges.judge",
    "JudgeValidation": "metaeval.judge_validation",
    "LabelPlan": "metaeval.label_plan",
    "LabelPlanOptions": "metaeval.label_plan",
    "LexicalScreenJudge": "judges.rules.lexical_screen",
    "LogOptions": "online.log_options",
    "LogQuestions": "generation.log_questions",
    "Metric": "metrics.metric",
    "ModelSession": "models.model_session",
    "NeracaError": "errors",
    "PairwiseJudge": "judges.llm.pairwise",
    "PhaseResults": "phase",
    "Pool": "people.pool",
    "Power": "comparisons.power_curve",
    "Preferences": "comparisons.preferences",
    "QuestionSet": "generation.question_set",
    "RelevanceJudge": "judges.llm.relevance",
    "Reliability": "metaeval.reliability",
    "RemembersJudge": "judges.llm.sessions",
    "Report": "reports.report",
    "ResolvesJudge": "judges.llm.sessions",
    "RubricJudge": "judges.llm.rubric",
    "Rule": "comparisons.gate_rule",
    "RulesJudge": "judges.rules.rules_judge",
    "Run": "runs.run",
    "RunScores": "scores.scores",
    "ScaleOptions": "scores.score_parquet",
    "Score": "scores.scores",
    "ScoredFolder": "scores.engine.scored",
    "Scores": "scores.scores",
    "SearchLog": "online.search_log",
    "SimilarityJudge": "judges.similarity",
    "SpecError": "errors",
    "SqlJudge": "judges.sql.sql_judge",
    "StaysJudge": "judges.llm.sessions",
    "StudyOptions": "study",
    "SupportedJudge": "judges.llm.yes_no",
    "Target": "targets.target",
    "TraceProbe": "traces.probe",
    "TraceReading": "traces.trace_reading",
    "ValidJudge": "judges.llm.yes_no",
    "Variants": "generation.variants",
    "Verdict": "records",
    "ab": "online.ab",
    "add_variants": "generation.variants",
    "agreement": "metaeval.agreement",
    "analyse_interleaving": "online.interleaving.preference",
    "ask": "runs.ask",
    "ask_async": "runs.ask",
    "check": "metrics.text.answer_check",
    "click_models": "online.click_models.click_models",
    "by_variant": "scores.variants",
    "compare": "comparisons.compare",
    "compare_folders": "comparisons.compare_folders",
    "corrected_differences": "comparisons.corrected",
    "corrections": "scores.judge_corrections",
    "correlate": "metaeval.correlate",
    "drift": "comparisons.drift",
    "evaluations": "scores.evaluations",
    "gate": "comparisons.gate",
    "generate": "generation.question_set",
    "generate_from_documents": "generation.document_questions",
    "generate_from_log": "generation.log_questions",
    "interleave": "online.interleaving.interleave",
    "judge": "judges.judge",
    "judge_async": "judges.judge",
    "judge_pairs": "judges.llm.pairwise",
    "judge_pairs_async": "judges.llm.pairwise",
    "metric": "metrics.metric",
    "notes": "reports.sentences.notes",
    "plan_labels": "metaeval.label_plan",
    "pool": "scores.pool",
    "power": "comparisons.power",
    "preferences": "comparisons.preferences",
    "read_dataset": "datasets.read_dataset",
    "read_traces": "traces.trace_reading",
    "reliability": "metaeval.reliability",
    "report": "reports.report",
    "run_study": "study",
    "run_study_async": "study",
    "score": "scores.score",
    "score_parquet": "scores.score_parquet",
    "search_log": "online.search_log",
    "text": "scores.text",
    "trec": "scores.trec",
    "validate_judge": "metaeval.judge_validation",
    "values": "scores.sources.values",
    "write_dataset": "datasets.write_dataset",
    "write_report": "reports.formats.write",
}
#: Earlier name → name today.
_RENAMED = {"interleaving": "analyse_interleaving", "prefer": "judge_pairs"}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        raise AttributeError(f"neraca.{name} is now called neraca.{_RENAMED[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'neraca' has no attribute {name!r}")
    return getattr(import_module(f"neraca.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__

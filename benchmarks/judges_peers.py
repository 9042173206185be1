"""The programs of ragas and deepeval for `benchmarks/judges.py`, each run by a Python in which that one is installed.

    PYTHON benchmarks/judges_peers.py ragas|deepeval SAMPLES.json URL IN_FLIGHT

Both are used as their own guides show, with the metrics and models that come first there; what is computed is printed
as JSON with the cost of this process.
"""

from __future__ import annotations

import json
import math
import resource
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

MODEL, EMBEDDINGS = "gpt-4o-mini", "text-embedding-3-small"
CORRECT = "Determine whether the actual output is factually correct based on the expected output."


def ragas(samples: list[dict[str, Any]], url: str, flying: int) -> dict[str, list[float]]:
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings
    from ragas import EvaluationDataset, RunConfig, evaluate
    from ragas.metrics import answer_correctness, answer_relevancy, context_precision, context_recall, faithfulness

    # Without check_embedding_ctx_length=False its tokens' vocabulary would be fetched from the network.
    embeddings = OpenAIEmbeddings(model=EMBEDDINGS, base_url=url, api_key="k", check_embedding_ctx_length=False)
    rows = [
        {
            "user_input": one["question"],
            "response": one["answer"],
            "reference": one["reference"],
            "retrieved_contexts": one["contexts"],
        }
        for one in samples
    ]
    found = evaluate(
        EvaluationDataset.from_list(rows),
        metrics=[faithfulness, answer_relevancy, answer_correctness, context_precision, context_recall],
        llm=ChatOpenAI(model=MODEL, base_url=url, api_key="k", temperature=0),
        embeddings=embeddings,
        run_config=RunConfig(max_workers=flying),
        show_progress=False,
    )
    values: dict[str, list[float]] = {}
    for row in found.scores:
        for name, value in row.items():
            values.setdefault(name, []).append(float(value))
    return values


def deepeval(samples: list[dict[str, Any]], url: str, flying: int) -> dict[str, list[float]]:
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import (
        AnswerRelevancyMetric,
        ContextualPrecisionMetric,
        ContextualRecallMetric,
        FaithfulnessMetric,
        GEval,
    )
    from deepeval.models import GPTModel
    from deepeval.test_case import LLMTestCase, SingleTurnParams

    model = GPTModel(model=MODEL, api_key="k", base_url=url, temperature=0)
    sides = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT]
    metrics = [
        FaithfulnessMetric(model=model),
        AnswerRelevancyMetric(model=model),
        GEval(name="Correctness", criteria=CORRECT, evaluation_params=sides, model=model),
        ContextualPrecisionMetric(model=model),
        ContextualRecallMetric(model=model),
    ]
    cases = [
        LLMTestCase(
            input=one["question"],
            actual_output=one["answer"],
            expected_output=one["reference"],
            retrieval_context=one["contexts"],
        )
        for one in samples
    ]
    # Five metrics of a case run at once, faithfulness with two calls: some six calls in flight for each case.
    told = evaluate(
        cases,
        metrics,
        async_config=AsyncConfig(max_concurrent=max(1, flying // 5)),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    values: dict[str, list[float]] = {}
    for case in told.test_results:
        for one in case.metrics_data or []:
            values.setdefault(one.name, []).append(math.nan if one.score is None else float(one.score))
    return values


def main(tool: str, samples: str, url: str, flying: int) -> None:
    start = time.perf_counter()
    values = {"ragas": ragas, "deepeval": deepeval}[tool](json.loads(Path(samples).read_text()), url, flying)
    used = resource.getrusage(resource.RUSAGE_SELF)
    good = {name: [one for one in some if not math.isnan(one)] for name, some in values.items()}
    print(
        json.dumps(
            {
                "tool": f"{tool} {version(tool)}",
                "cpu": used.ru_utime + used.ru_stime,
                "wall": time.perf_counter() - start,
                "peak": used.ru_maxrss / 1024,
                "means": {name: sum(some) / max(1, len(some)) for name, some in good.items()},
                "scores": sum(map(len, good.values())),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))

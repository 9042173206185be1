"""The forms in which Langfuse, Phoenix and OpenTelemetry accept judgements of traces."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

import msgspec

from neraca.errors import SpecError
from neraca.files import write_atomic
from neraca.nearest import nearest
from neraca.traces.evaluation import Evaluation
from neraca.traces.exports import JUDGEMENT

#: Most evaluations of a request.
BATCH = 100
_TRACE, _SPAN = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{16}")
_NO_SPAN_ID = "its span has no id of 16 hexadecimal digits"


class EvaluationForm(Protocol):
    """The form of one tool.

    Attributes
    ----------
    path
        The address of requests, below that of the server.
    """

    path: str

    def why_not(self, evaluation: Evaluation) -> str:
        """Return why the tool cannot take it, in words; "" if it can."""

    def body(self, evaluations: Sequence[Evaluation]) -> dict[str, Any]:
        """Return the body of a request with these evaluations."""

    def headers(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the headers with the keys from the environment; raise `SpecError` if a needed one is missing."""

    def refused(self, reply: Any, evaluations: Sequence[Evaluation]) -> dict[str, str]:
        """Return id → reason of the evaluations that the reply to a request says were not taken."""

    def unknown(self, text: str, evaluations: Sequence[Evaluation]) -> set[str]:
        """Return the ids of the evaluations whose spans the text of an error calls unknown."""


class LangfuseScores:
    """Scores of Langfuse: events `score-create` for POST /api/public/ingestion, one for each evaluation."""

    path = "/api/public/ingestion"

    def why_not(self, evaluation: Evaluation) -> str:
        """See `EvaluationForm.why_not`."""
        return "" if evaluation.trace else "its trace has no id"

    def body(self, evaluations: Sequence[Evaluation]) -> dict[str, Any]:
        """See `EvaluationForm.body`.  The id of a score stays the same, so that sending it again changes it."""
        return {"batch": [self._event(each) for each in evaluations]}

    def _event(self, evaluation: Evaluation) -> dict[str, Any]:
        observation = {"observationId": evaluation.span} if evaluation.span else {}
        comment = {"comment": evaluation.why} if evaluation.why else {}
        score = {
            "id": evaluation.id,
            "traceId": evaluation.trace,
            **observation,
            "name": evaluation.name,
            "value": evaluation.value,
            "dataType": "NUMERIC",
            **comment,
            "metadata": {"by": evaluation.by, "item": evaluation.item},
        }
        return {"id": evaluation.version, "type": "score-create", "timestamp": evaluation.at, "body": score}

    def headers(self, environment: Mapping[str, str]) -> dict[str, str]:
        """See `EvaluationForm.headers`."""
        names = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
        missing = [name for name in names if not environment.get(name)]
        if missing:
            raise SpecError(f"Langfuse needs the keys of the project: set {' and '.join(missing)}")
        pair = ":".join(environment[name] for name in names)
        return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}

    def refused(self, reply: Any, evaluations: Sequence[Evaluation]) -> dict[str, str]:
        """See `EvaluationForm.refused`."""
        errors = {str(error.get("id")): error for error in _list(reply, "errors")}
        taken = {str(success.get("id")) for success in _list(reply, "successes")}
        refused = {}
        for each in evaluations:
            error = errors.get(each.version)
            if error is not None:
                refused[each.id] = (
                    f"{error.get('status', '')} {error.get('message') or error.get('error') or ''}".strip()
                )
            elif each.version not in taken:
                refused[each.id] = "the reply does not name it"
        return refused

    def unknown(self, text: str, evaluations: Sequence[Evaluation]) -> set[str]:
        """See `EvaluationForm.unknown`; Langfuse takes scores of traces that it does not know."""
        return set()


class PhoenixAnnotations:
    """Annotations of spans for POST /v1/span_annotations of Phoenix."""

    path = "/v1/span_annotations?sync=true"

    def why_not(self, evaluation: Evaluation) -> str:
        """See `EvaluationForm.why_not`."""
        return "" if _SPAN.fullmatch(evaluation.span) else _NO_SPAN_ID

    def body(self, evaluations: Sequence[Evaluation]) -> dict[str, Any]:
        """See `EvaluationForm.body`.  An annotation with the same span, name and identifier is changed, not doubled."""
        return {"data": [self._annotation(each) for each in evaluations]}

    def _annotation(self, evaluation: Evaluation) -> dict[str, Any]:
        result: dict[str, Any] = {"score": evaluation.value}
        result |= {"label": evaluation.label} if evaluation.label else {}
        result |= {"explanation": evaluation.why} if evaluation.why else {}
        kinds = {"human": "HUMAN", "llm": "LLM"}
        return {
            "span_id": evaluation.span,
            "name": evaluation.name,
            "annotator_kind": kinds.get(evaluation.by.partition(":")[0], "CODE"),
            "result": result,
            "metadata": {"by": evaluation.by, "item": evaluation.item},
            "identifier": evaluation.id,
        }

    def headers(self, environment: Mapping[str, str]) -> dict[str, str]:
        """See `EvaluationForm.headers`; a server without authentication needs no key."""
        key = environment.get("PHOENIX_API_KEY", "")
        return {"Authorization": f"Bearer {key}"} if key else {}

    def refused(self, reply: Any, evaluations: Sequence[Evaluation]) -> dict[str, str]:
        """See `EvaluationForm.refused`; Phoenix takes all of a request or nothing."""
        return {}

    def unknown(self, text: str, evaluations: Sequence[Evaluation]) -> set[str]:
        """See `EvaluationForm.unknown`."""
        return {each.id for each in evaluations if each.span in text}


class OtlpLogs:
    """Events `gen_ai.evaluation.result` as OTLP/JSON log records for POST /v1/logs, each on its span."""

    path = "/v1/logs"

    def why_not(self, evaluation: Evaluation) -> str:
        """See `EvaluationForm.why_not`."""
        if not _TRACE.fullmatch(evaluation.trace):
            return "its trace has no id of 32 hexadecimal digits"
        return "" if _SPAN.fullmatch(evaluation.span) else _NO_SPAN_ID

    def body(self, evaluations: Sequence[Evaluation]) -> dict[str, Any]:
        """See `EvaluationForm.body`."""
        scope = {"scope": {"name": "neraca"}, "logRecords": [self._record(each) for each in evaluations]}
        resource = {"attributes": [_attribute("service.name", "neraca")]}
        return {"resourceLogs": [{"resource": resource, "scopeLogs": [scope]}]}

    def _record(self, evaluation: Evaluation) -> dict[str, Any]:
        texts = {
            "gen_ai.evaluation.name": evaluation.name,
            "gen_ai.evaluation.score.label": evaluation.label,
            "gen_ai.evaluation.explanation": evaluation.why,
            "neraca.evaluation.by": evaluation.by,
            "neraca.evaluation.id": evaluation.id,
        }
        score = {"key": "gen_ai.evaluation.score.value", "value": {"doubleValue": evaluation.value}}
        time = str(round(datetime.fromisoformat(evaluation.at).timestamp()) * 10**9) if evaluation.at else "0"
        return {
            "timeUnixNano": time,
            "observedTimeUnixNano": time,
            "severityNumber": 9,
            "eventName": JUDGEMENT,
            "attributes": [score, *(_attribute(name, text) for name, text in texts.items() if text)],
            "traceId": evaluation.trace,
            "spanId": evaluation.span,
        }

    def headers(self, environment: Mapping[str, str]) -> dict[str, str]:
        """See `EvaluationForm.headers`; the variable is that of all OpenTelemetry exporters, `name=value,…`."""
        pairs = (pair.partition("=") for pair in environment.get("OTEL_EXPORTER_OTLP_HEADERS", "").split(","))
        return {unquote(name.strip()): unquote(value.strip()) for name, equals, value in pairs if equals}

    def refused(self, reply: Any, evaluations: Sequence[Evaluation]) -> dict[str, str]:
        """See `EvaluationForm.refused`; which records of a request were rejected, a reply does not say."""
        partial = reply.get("partialSuccess") if isinstance(reply, Mapping) else None
        rejected = int(partial.get("rejectedLogRecords") or 0) if isinstance(partial, Mapping) else 0
        message = str(partial.get("errorMessage") or "rejected") if isinstance(partial, Mapping) else ""
        return {each.id: message for each in evaluations[:rejected]}

    def unknown(self, text: str, evaluations: Sequence[Evaluation]) -> set[str]:
        """See `EvaluationForm.unknown`."""
        return set()


#: Name of a tool → its form.
FORMS: Mapping[str, EvaluationForm] = {
    "langfuse": LangfuseScores(),
    "otlp": OtlpLogs(),
    "phoenix": PhoenixAnnotations(),
}


def form_of(tool: str) -> EvaluationForm:
    """Return the form of a tool; raise `SpecError` for an unknown one."""
    if tool not in FORMS:
        raise SpecError(f"verdicts go back to {', '.join(FORMS)}, not to {tool!r}; {nearest(tool, FORMS)}")
    return FORMS[tool]


def write_requests(path: Path, tool: str, evaluations: Sequence[Evaluation]) -> None:
    """Write the bodies of requests for a tool, a JSON object a line, each with at most `BATCH` evaluations."""
    form = form_of(tool)
    starts = range(0, len(evaluations), BATCH)
    write_atomic(path, b"".join(encode(form.body(evaluations[start : start + BATCH])) + b"\n" for start in starts))


def encode(body: Mapping[str, Any]) -> bytes:
    """Return the body of a request as JSON."""
    return msgspec.json.encode(body)


def _attribute(name: str, text: str) -> dict[str, Any]:
    return {"key": name, "value": {"stringValue": text}}


def _list(reply: Any, name: str) -> list[Mapping[str, Any]]:
    """Return the tables in a list of a reply."""
    values = reply.get(name) if isinstance(reply, Mapping) else None
    return [value for value in values if isinstance(value, Mapping)] if isinstance(values, list) else []

"""Write the decision of a gate as JUnit XML, which build servers show as test results."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from neraca.comparisons.gate_decision import FAIL, INCOMPLETE, UNDECIDED, Gate
from neraca.reports.formats.visible_text import line
from neraca.reports.gate import cautions_of
from neraca.reports.sentences.gate import incomplete, runs_of, why
from neraca.translation import say, written_in

#: Characters that an XML file must not contain, including those that `visible` keeps.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def to_junit(gate: Gate, strict: bool = False, language: str = "en") -> str:
    """Write the decision as JUnit XML: a test case for each rule, and one for missing answers.

    A broken rule is a failure, an undecided one is skipped (with `strict` a failure), and an incomplete one an error.
    The cautions on the scores are the `system-out` of the suite.
    """
    with written_in(language):
        cases = [(str(d.rule), d.outcome, why(gate, d)) for d in gate.decisions]
        if gate.lacking:
            cases.append((say("every question has an answer"), INCOMPLETE, incomplete(gate)))
        cautions = [_xml(sentence) for sentence in cautions_of(gate)]
        name = _xml(f"neraca gate: {runs_of(gate)}")
    tags = {FAIL: "failure", INCOMPLETE: "error", UNDECIDED: "failure" if strict else "skipped"}
    case_tags = [tags.get(outcome, "") for _, outcome, _ in cases]
    counts = {
        f"{tag}s" if tag != "skipped" else tag: str(case_tags.count(tag)) for tag in ("failure", "error", "skipped")
    }
    attributes = {"name": name, "tests": str(len(cases)), **counts, "time": "0"}
    root = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(root, "testsuite", attributes)
    for (rule, outcome, reason), tag in zip(cases, case_tags, strict=True):
        case = ElementTree.SubElement(suite, "testcase", {"classname": "neraca.gate", "name": _xml(rule), "time": "0"})
        if tag:
            kind = {} if tag == "skipped" else {"type": outcome}
            ElementTree.SubElement(case, tag, {"message": _xml(reason), **kind})
        else:
            ElementTree.SubElement(case, "system-out").text = _xml(reason)
    if cautions:
        ElementTree.SubElement(suite, "system-out").text = "\n".join(cautions)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", line(text, 2000))

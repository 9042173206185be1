"""What a gate says: every sentence true in every case, XML and Markdown that nothing breaks."""

import json
import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import openpyxl
import pytest
from lxml import etree

import neraca
from neraca.comparisons.gate_decision import Decision, Gate
from neraca.comparisons.gate_rule import Rule
from neraca.errors import SpecError
from neraca.reports.formats.junit import to_junit
from neraca.reports.formats.terminal import to_screen
from neraca.reports.gate import gate_document, table, to_markdown
from neraca.reports.sentences.gate import headline, method, rule_sentences, why
from neraca.reports.sentences.gate_untested import untested
from neraca.scores.unit import Unit

HOSTILE = "new <b>\"'&|`*_[x](http://y) \x00\x1b[31m\u202e\ufffe ]]>\n## gone"


def decision(rule="nDCG@10 >= -0.02", outcome="undecided", **given):
    usual = {
        "value": 0.7,
        "baseline": 0.71,
        "difference": -0.01,
        "low": -0.05,
        "high": 0.03,
        "p": 0.21,
        "p_fail": 0.79,
        "p_worst": 0.21,
        "n": 30,
        "sessions": 30,
        "unscored": 0,
        "lost": 0,
        "why_unscored": "",
        "lead": 0.01,
        "same": False,
        "needed": None,
        "test": "t",
    }
    return Decision(rule=Rule.of(rule), outcome=outcome, **(usual | given))


def made(*decisions, run="new", baseline="old", lacking=None, level=0.95):
    return Gate(run, baseline, decisions, lacking or {}, level, Unit(by="session", items=30, groups=10, sessions=10))


def reason_of(*args, **given):
    one = decision(*args, **given)
    return why(made(one), one)


@pytest.mark.parametrize(
    "rule, shown, broken",
    [
        ("P@5 >= -0.02", "no more than 0.02 below that of old", "more than 0.02 below that of old"),
        ("P@5 > +0.1", "more than 0.1 above that of old", "no more than 0.1 above that of old"),
        ("P@5 >= +0", "above that of old", "below that of old"),
        ("P@5 > 0.8", "above 0.8", "below 0.8"),
        ("TER <= +0.02", "no more than 0.02 above that of old", "more than 0.02 above that of old"),
        ("TER <= -0.1", "more than 0.1 below that of old", "no more than 0.1 below that of old"),
        ("TER <= baseline", "below that of old", "above that of old"),
        ("TER < 0.4", "below 0.4", "above 0.4"),
    ],
)
def test_what_is_shown_is_said_in_words(rule, shown, broken):
    metric = rule.split()[0]
    assert reason_of(rule, "pass", p=0.01) == f"{metric} of new is shown to be {shown} (p = 0.010)."
    assert reason_of(rule, "fail", p=0.99, p_fail=0.0001) == f"{metric} of new is shown to be {broken} (p < 0.001)."
    told = f"It cannot be told whether {metric} of new is {shown}: what was seen speaks for it, but may be chance"
    assert reason_of(rule) == f"{told} (p = 0.210)."


def test_what_is_undecided_says_how_many_questions_would_tell():
    told = reason_of(lead=-0.03, p=0.9, p_fail=0.1, needed=311)
    assert "speaks against it, but may be chance (p = 0.100); to decide takes about 320 questions instead of" in told
    assert told.endswith("(if they go as these did, the rule then fails 4 times of 5).")
    assert reason_of(lead=0.03, needed=34).endswith("(if they go as these did, the rule then passes 4 times of 5).")
    assert "exactly at the bound (p = 0.500)" in reason_of(lead=0.0, p=0.5)
    assert "the 12 questions are of 3 sessions, and fewer than 6 do not" in reason_of(n=12, sessions=3, p=math.nan)


@pytest.mark.parametrize(
    "rule, equal", [("nDCG@10 >= -0.02", "all 12 differences are equal"), ("nDCG@10 > 0.8", "all 12 values are equal")]
)
def test_equal_values_that_the_test_cannot_take_name_the_test_that_can(rule, equal):
    why = f"{equal}, and t takes chance from how they differ; --test randomisation can decide."
    for shown in ({"p": math.nan, "p_fail": 1.0}, {"p": 1.0, "p_fail": math.nan, "lead": -0.1}):
        told = reason_of(rule, n=12, sessions=7, **shown)
        assert told.endswith(why)
        assert "–" not in told


def test_no_difference_says_what_it_does_not_show():
    same = {"same": True, "difference": 0.0, "p": 0.55}
    # 1 - 0.05^(1/30) = 0.095
    assert reason_of("P@5 >= -0.02", "pass", **same) == (
        "Equal on all 30 questions; that up to 9.5 % of other questions differ is not ruled out (95 %)."
    )
    assert "up to 26 % of other sessions differ" in reason_of("P@5 >= -0.02", "pass", sessions=10, **same)
    assert reason_of("P@5 > +0", lead=0.0, **same) == "Equal on all 30 questions, and the rule demands a difference."
    assert reason_of("P@5 >= +0", "pass", n=1, sessions=1, copy=True, **same) == (
        "Equal on the one question: what was scored is the same in both runs, so that no question can tell them apart."
    )


def test_a_rule_that_rests_on_one_question_claims_nothing():
    few = {"same": True, "difference": 0.0, "p": math.nan, "p_fail": math.nan, "n": 1, "sessions": 1}
    assert reason_of("P@5 >= -0.02", "undecided", **few) == (
        "It cannot be told whether P@5 of new is no more than 0.02 below that of old: it rests on 1 question, and a "
        "rule is tested on at least 3 (write observed after it to decide by the number alone)."
    )


def test_the_method_of_each_interval_is_named():
    of_each = made(decision(interval_method="t"), decision("Success > 0.8", interval_method="exact"))
    assert "Intervals: Student's t for nDCG@10; exact (sums of shares counted out) for Success." in method(of_each)


def test_a_level_near_one_does_not_rule_out_next_to_everything():
    one = decision("P@5 >= +0", "pass", n=1, sessions=1, same=True, p=0.9)
    assert "that nearly all other questions differ is not ruled out" in why(made(one, level=0.999), one)


def test_what_is_not_scored_is_said():
    lost = {"unscored": 3, "lost": 2, "why_unscored": "the answer may not be whole"}
    assert reason_of(p=0.01, **lost) == (
        "Over the questions scored in both, nDCG@10 of new is shown to be no more than 0.02 below that of old "
        "(p = 0.010), but no longer if those that are scored in old alone count as the worst. Left out: 3 questions "
        "not scored in both (mostly: the answer may not be whole); 2 of them are scored in old."
    )
    assert reason_of("P@5 > 0.3", p=0.01, **lost).startswith(
        "Over the questions scored, P@5 of new is shown to be above 0.3"
    )
    nothing = {"n": 0, "value": math.nan, "lead": math.nan, "unscored": 1}
    assert reason_of(outcome="incomplete", **nothing) == (
        "Nothing can be said of nDCG@10 of new: no question is scored in both runs. Left out: 1 question not scored in "
        "both."
    )
    assert "no question is scored. Left out: 1 question not scored." in reason_of("P@5 > 0.3", "incomplete", **nothing)
    assert "QueryF1 is not defined over the 1 scored question." in reason_of("QueryF1 > 0.3", "incomplete", n=1)


def test_the_headline():
    good, bad, open_ = decision(outcome="pass", p=0.01), decision("P@5 > 0.5", "fail"), decision("RR > 0.5")
    empty = decision("AP > 0.5", "incomplete", n=0)
    assert headline(made(good)) == "new against old: the gate passes; 1 of 1 rule holds."
    assert headline(made(good, good), True) == "new against old: the gate passes; 2 of 2 rules hold."
    assert headline(made(good, bad, open_)) == "new against old: the gate fails; 1 of 3 rules is shown to be broken."
    assert headline(made(bad, bad)).endswith("2 of 2 rules are shown to be broken.")
    told = "the gate is undecided; too little is known for 1 of 2 rules, and"
    assert headline(made(good, open_, baseline="")) == f"new: {told} none is shown to be broken."
    assert headline(made(good, open_), True).endswith(f"{told} what is undecided does not pass (strict).")
    assert headline(made(good, empty)).endswith("the gate cannot decide; nothing can be said of 1 of 2 rules.")
    lacking = headline(made(good, lacking={"new": 1, "old": 30}))
    assert "new has no answer to 1 question and old has no answer to 30 questions (ask them again)" in lacking


def test_the_table_and_the_method():
    one, two = (
        decision(needed=1234, unscored=2),
        decision("P@5 > 0.5", baseline=math.nan, difference=math.nan, test="shares"),
    )
    columns, rows, *_ = table(made(one, two))
    assert columns == [
        "rule",
        "outcome",
        "new",
        "old",
        "difference",
        "90 % interval",
        "p",
        "p of the opposite",
        "n",
        "needed",
    ]
    assert rows[0][2:] == ["0.700", "0.710", "−0.010", "−0.050 to 0.030", "0.210", "0.790", "30 (2 unscored)", "1,300"]
    assert rows[1][2:5] == ["0.700", "–", "–"]
    assert len(table(made(two, baseline=""))[0]) == len(table(made(two, baseline=""))[1][0]) == 8
    assert "One-sided tests at 2.5 %, by session: shares and t." in method(made(one, two, level=0.975))
    assert table(made(one, level=0.975))[0][5] == "95 % interval"
    assert rule_sentences(made(one))[0].startswith("nDCG@10 >= -0.02: undecided. It cannot be told")


def test_each_rule_has_its_own_level_and_the_chance_of_a_false_alarm_is_said():
    one = decision(outcome="fail", p_fail=0.03)
    two = made(one, decision("P@5 > 0.5"))
    assert why(two, one).endswith("(p = 0.030).")
    assert "independent ones fail falsely 10 % of the time" in method(two)  # 1 - 0.95^2
    assert "falsely" not in method(made(one))


def test_an_observed_rule_says_that_it_has_no_test():
    rule = {"p": math.nan, "p_fail": math.nan, "test": "none"}
    one = decision("nDCG@10 >= -0.02 observed", "fail", difference=-0.03, **rule)
    assert reason_of("nDCG@10 >= -0.02 observed", "fail", difference=-0.03, **rule) == (
        "nDCG@10 of new differs from that of old by −0.030 on these questions, beyond the bound of −0.02; "
        "observed, without a test: it may be chance."
    )
    assert "is 0.700 on these questions, within the bound of 0.5" in reason_of("P@5 > 0.5 observed", "pass", **rule)
    assert "can turn this. No test is made." in reason_of("P@5 >= -0.05 observed", "undecided", **rule)
    assert headline(made(one)) == "new against old: the gate fails; 1 of 1 rule is broken."
    assert method(made(one)) == "Decided by the number observed, without a test: 1 rule."
    assert method(made(one, decision())).endswith("Decided by the number observed, without a test: 1 rule.")
    assert table(made(one))[1][0][6:8] == ["–", "–"]


def junit(gate, strict=False):
    """Read by two parsers, of which one is strict."""
    text = to_junit(gate, strict)
    assert etree.fromstring(text.encode()).tag == "testsuites"
    return ElementTree.fromstring(text)


def test_junit_has_a_case_for_each_rule():
    rules = [
        decision("P@5 >= -0.1", "pass", p=0.01),
        decision("RR > 0.5", "fail"),
        decision("AP > 0.5"),
        decision("DCG > 5", "incomplete", n=0),
    ]
    for strict, tag in ((False, "skipped"), (True, "failure")):
        root = junit(made(*rules), strict)
        (suite,) = root
        assert [case.attrib["name"] for case in suite] == ["P@5 >= -0.1", "RR > 0.5", "AP > 0.5", "DCG > 5"]
        assert [[told.tag for told in case] for case in suite] == [["system-out"], ["failure"], [tag], ["error"]]
        for told in (root, suite):
            counts = {name: int(told.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
            assert counts == {"tests": 4, "failures": 1 + strict, "errors": 1, "skipped": 1 - strict}
        assert "shown to be below 0.5" in suite[1][0].attrib["message"]
        assert suite.attrib["name"] == "neraca gate: new against old"


def test_junit_is_not_green_where_answers_are_missing():
    (suite,) = junit(made(decision(outcome="pass", p=0.01), lacking={"new": 2}))
    assert [case[0].tag for case in suite] == ["system-out", "error"]
    assert "new has no answer to 2 questions" in suite[1][0].attrib["message"]


def test_hostile_names_break_neither_xml_nor_markdown():
    one = decision(outcome="fail", unscored=1, why_unscored=HOSTILE)
    gate = made(one, run=HOSTILE, baseline=HOSTILE, lacking={HOSTILE: 1})
    (suite,) = junit(gate)
    assert "new <b>" in suite.attrib["name"]
    text = to_junit(gate)
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ufffe]", text)
    written = to_markdown(gate)
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", written)
    assert written.count("<b>") == written.count("\\<b>") > 0
    assert "\n## gone" not in written
    assert written.count("](http:") == written.count("\\](http:") > 0
    (row,) = [line for line in written.splitlines() if line.startswith("| nDCG@10")]
    assert row.count("|") - row.count("\\|") == 11


def test_markdown_says_it_all():
    gate = made(decision("P@5 >= -0.1", "pass", p=0.01), decision("RR > 0.5"))
    written = to_markdown(gate)
    assert written.startswith("## Gate: undecided\n\n**new against old: the gate is undecided;")
    assert "| P@5 >= -0.1 | pass | 0.700 | 0.710 |" in written
    assert "- P@5 >= -0.1: pass. P@5 of new is shown to be no more than 0.1 below that of old (p = 0.010).\n" in written
    assert "(strict)" in to_markdown(gate, True).replace("\\", "")
    assert written.endswith("\n")


def test_what_a_rule_says_with_right_empty_answers_leads_where_it_decides():
    again = decision("P(empty=correct)@1 >= -0.1", "fail", value=0.5, baseline=1.0, difference=-0.5, n=24, p_fail=0.002)
    equal = {
        "same": True,
        "test": "none",
        "p": math.nan,
        "p_fail": math.nan,
        "difference": 0.0,
        "n": 12,
        "sessions": 12,
    }
    alone = {"value": 1.0, "baseline": 1.0, "value_alone": 0.5, "baseline_alone": 1.0, "unscored": 12, "settled": 12}
    d = decision("P@1 >= -0.1", "fail", outcome_in_both="pass", with_empties=again, **equal, **alone)
    told = why(made(d), d)
    assert told.startswith(
        "On 12 questions one run rightly returned nothing and the other returned junk. With P(empty=correct)@1, which "
        "counts them (0.500 for new and 1.000 for old): fail. P(empty=correct)@1 of new is shown to be more than 0.1 "
        "below that of old (p = 0.002). Without them: Equal on all 12 questions;"
    )
    assert told.endswith("Over all questions scored in one run, P@1 is 0.500 for new.")
    rows = table(made(d)).rows
    assert [row[:2] for row in rows] == [["P@1 >= -0.1", "fail"], ["P(empty=correct)@1 >= -0.1", "fail"]]
    kept = decision("P@1 >= -0.1", "pass", outcome_in_both="pass", with_empties=replace(again, outcome="pass"), **equal)
    assert why(made(kept), kept).startswith("Equal on all 12 questions;")


def test_a_rule_that_holds_because_no_question_differs_has_no_p():
    nothing = {"p": math.nan, "p_fail": math.nan, "p_worst": math.nan, "difference": 0.0, "test": "none"}
    d = decision("P@10 >= -0.02", "pass", same=True, lead=0.02, **nothing)
    ((_, outcome, *_, p, opposite, _, _),) = table(made(d)).rows
    assert (outcome, p, opposite) == ("pass (no question differs)", "–", "–")
    assert method(made(d)).startswith("No question differs, so that no test is made: 1 rule.")


def test_the_terminal_shows_the_blocks_of_the_report_and_the_decision_last():
    gate = made(decision("P@5 >= -0.1", "pass", p=0.01), decision("RR > 0.5", "fail"))
    document = gate_document(gate)
    lines = to_screen(document, 0, 0).splitlines()
    assert lines[0].split("  ")[0] == "rule"
    assert lines[2].split() == [
        *["P@5", ">=", "-0.1", "pass", "0.700", "0.710", "−0.010", "−0.050", "to", "0.030", "0.010", "0.790", "30", "–"]
    ]
    assert lines[4:] == ["", *rule_sentences(gate), method(gate), headline(gate)]
    assert max(map(len, to_screen(document, 60, 60).splitlines())) <= 60


def test_the_report_is_written_in_its_language():
    gate = made(
        decision("P@5 >= -0.1", "fail", p_fail=0.01), decision("AP > 0.85", lead=-0.02, p_fail=0.3, needed=1234)
    )
    document = gate_document(gate, language="es")
    assert document.title == "Control: no pasa"
    written = to_screen(document, 0, 0)
    assert (
        "P@5 >= -0.1: no pasa. Se demuestra que P@5 de new está más de 0,1 por debajo de la de old (p = 0,010)."
        in written
    )
    assert "hacen falta unas 1300 preguntas en lugar de 30 (si salen como estas, la regla entonces no pasa" in written
    decided = "new frente a old: el control no pasa; incumplimiento demostrado: 1 de 2 reglas."
    assert written.splitlines()[-1] == decided
    assert document.tables[0].rows[0][2:6] == ["0,700", "0,710", "−0,010", "−0,050 a 0,030"]
    assert gate_document(gate, language="id").title == "Pemeriksaan: gagal"
    assert "(strict)" in gate_document(made(decision()), True, "id").blocks[0].sentences[0]
    (suite,) = ElementTree.fromstring(to_junit(gate, language="es"))
    assert suite[0].attrib["name"] == "P@5 >= -0.1"
    assert suite[0][0].attrib["message"].startswith("Se demuestra que P@5 de new")
    assert to_markdown(gate, language="es").startswith("## Control: no pasa\n\n**new frente a old")
    with pytest.raises(SpecError, match="the language of a report is one of en, id, es, not 'fr'"):
        gate_document(gate, language="fr")


def ends_of_bars(figure):
    """Where the intervals and the line of zero stand, in percent of the width."""
    places = {"bar": [], "zero": []}
    line = r'<line class="(?:rows )?(\w+)[^"]*" x1="([\d.]+)%"[^>]*x2="([\d.]+)%"'
    for kind, start, end in re.findall(line, figure.svg):
        if start != end or kind == "zero":
            places.setdefault(kind, []).append((float(start), float(end)))
    return places["bar"], places["zero"][0][0]


def test_the_figure_turns_each_rule_so_that_right_of_its_bound_it_holds():
    # 0.02 - 0.11 = -0.09 and 0.02 + 0.05 = 0.07, though the difference itself lies from -0.05 to 0.11
    less = decision("TER <= +0.02", difference=0.03, low=-0.05, high=0.11, lead=-0.01)
    more = decision("P@5 > 0.5", "pass", value=0.7, low=0.6, high=0.8, lead=0.2)
    unknown = decision("AP > 0.5", "incomplete", n=0, lead=math.nan, value=math.nan)
    figures = gate_document(made(more, less, unknown)).figures
    assert len(figures) == 2, "TER has no largest value, and so an axis of its own"
    (((left, right),), zero) = ends_of_bars(figures[1])
    assert (zero - left) / (right - zero) == pytest.approx(9 / 7, rel=0.01)
    (((left, right),), zero) = ends_of_bars(figures[0])
    assert (right - zero) / (left - zero) == pytest.approx(3, rel=0.01)  # 0.8 - 0.5 and 0.6 - 0.5
    assert "TER &lt;= +0.02 −0.010, undecided" in figures[1].svg
    assert "AP" not in figures[0].svg


@pytest.mark.parametrize("suffix", [".html", ".md", ".tex", ".docx", ".txt", ".json"])
def test_a_gate_saves_itself_in_every_format(tmp_path, monkeypatch, suffix):
    monkeypatch.setenv("NERACA_BROWSER", "no-such-browser")
    gate = made(decision("P@5 >= -0.1", "pass", p=0.01), decision("RR > 0.5", unscored=2, why_unscored="لا جواب"))
    notes = gate.save(tmp_path / f"gate{suffix}", strict=True, language="es")
    assert (
        ["has no figures" in notes[0], "the script of arabic" in notes[1]] == [True] * 2
        if suffix == ".tex"
        else not notes
    )
    again = neraca.write_report(tmp_path / f"again{suffix}", gate_document(gate, True, "es"))
    assert [note.replace("again", "gate") for note in again] == [note.replace("again", "gate") for note in notes]
    saved = (tmp_path / f"gate{suffix}").read_bytes()
    if suffix != ".docx":
        assert saved == (tmp_path / f"again{suffix}").read_bytes()
        words = " ".join(saved.decode().replace("\\", "").split())
        reason = "<bdi>لا جواب</bdi>" if suffix == ".html" else "لا جواب"
        value = "0.71," if suffix == ".json" else "0,710"
        assert [part for part in ("(strict)", value, f"(sobre todo: {reason})") if part not in words] == []
    neraca.write_report(tmp_path / f"english{suffix}", gate)
    assert (tmp_path / f"english{suffix}").stat().st_size > 0


def test_a_picture_of_a_gate_without_numbers_is_refused(tmp_path):
    nothing = made(decision(outcome="incomplete", n=0, lead=math.nan, value=math.nan))
    with pytest.raises(SpecError, match=r"this report has no figure; write it in another format than \.svg"):
        nothing.save(tmp_path / "gate.svg")
    assert made(decision()).save(tmp_path / "gate.svg") == []
    assert (tmp_path / "gate.svg").read_text(encoding="utf-8").startswith("<svg")


def test_latex_breaks_no_number(tmp_path):
    made(decision(needed=1234), decision("nDCG(gains=exp,empty=skip)@10 > 0.5")).save(
        tmp_path / "gate.tex", language="es"
    )
    written = (tmp_path / "gate.tex").read_text(encoding="utf-8")
    assert re.search(r"& 0,710 (&|\\\\)", written)
    assert r"nDCG(\allowbreak{}gains=\allowbreak{}exp,\allowbreak{}empty=\allowbreak{}skip)@\allowbreak{}10" in written


def test_a_rule_that_is_held_twice_is_one_rule_in_the_chance_of_false_failures():
    again = replace(decision("RR >= -0.02"), p=0.3)
    twice = replace(decision("RR >= -0.02"), with_empties=again, outcome_in_both="undecided")
    assert "If all 2 rules are only just kept" in method(made(twice, decision()))
    assert "If all" not in method(made(twice))


def test_cautions_on_unjudged_documents_reach_the_page_the_summary_and_the_build_server():
    judged = {str(n): {"good": 1, "bad": 0} for n in range(9)}
    old = {query: {"good": 2.0, "bad": 1.0} for query in judged}
    new = {query: {"good": 2.0, "unjudged": 1.0} for query in judged}
    gate = neraca.gate(neraca.trec(judged, {"new": new, "old": old}, "P@2"), rules=["P@2 >= -0.1"])
    caution = "Judged@2 is 0.500 (new) and 1.000 (old): unjudged documents count as not relevant"
    *cases, out = junit(gate)[0]
    assert [case.tag for case in cases] == ["testcase"]
    assert out.tag == "system-out"
    assert out.text.startswith(caution)
    assert caution in to_markdown(gate)
    assert caution in to_screen(gate_document(gate), 80, 0)
    assert caution not in to_screen(gate_document(gate, cautions=False), 80, 0)
    spanish = etree.fromstring(to_junit(gate, language="es").encode())
    assert "Judged@2 es 0,500 (new)" in spanish.find("testsuite/system-out").text
    assert junit(replace(gate, scores=None))[0].find("system-out") is None


def test_what_was_not_tested_is_said_with_its_remedy():
    """A rule decided by the number, one on two questions, one without a score, and answers that are missing."""
    nan = math.nan
    gate = made(
        decision("nDCG@10 >= -0.02", "pass", p=0.01),
        decision("AP >= -0.05 observed", "pass", p=nan, p_fail=nan, test="none"),
        decision("RR > 0.5", n=2, sessions=2, p=nan, p_fail=nan),
        decision("P@5 > 0.5", "incomplete", n=0, lead=nan, p=nan, p_fail=nan, unscored=3, why_unscored="no judgment"),
        decision("P@1 > 0.5", "pass", p=0.01, unscored=4, why_unscored="other"),
        lacking={"new": 2},
    )
    document = gate_document(gate)
    page = to_screen(document, 80, 80)
    for sentence in untested(gate):
        assert " ".join(sentence.split()) in " ".join(page.split())
    judge = (
        "Judge the hits (neraca judge RUN), let people rate them (neraca rate RUN), or name what is relevant in the "
        "questions or --qrels."
    )
    assert untested(gate) == [
        "new has no answer to 2 questions. Ask them again: neraca ask with the same --out and --retry-failed.",
        "AP >= -0.05 observed was not tested: the number alone decides. To test it, leave out the word observed.",
        "RR > 0.5 was not tested: it rests on 2 questions. Ask at least 3, or write observed after the rule.",
        f"P@5 > 0.5 was not tested: no question is scored (mostly: no judgment). {judge}",
        "P@1 > 0.5 leaves out 4 questions (mostly: other). Ask, judge or rate what is missing, or take these "
        "questions out of the data set if they must not count.",
    ]
    assert untested(made(decision("nDCG@10 >= -0.02", "pass", p=0.01))) == []


@pytest.mark.parametrize(
    "metric, why, remedy",
    [
        ("TokenF1", "the item has no reference", "good answers (a column references)"),
        ("Rubric(quality)", "nobody judged it: quality", "let people rate them"),
        ("Faithfulness", "nobody judged its contexts", "neraca judge RUN --judge claims"),
        ("RR", "not asked: Neraca or its browser failed, not the system", "--retry-failed"),
        ("RR", "correctly empty: nothing to find, nothing returned", "Nothing is missing there"),
        ("ToolCallAccuracy", "the question does not say which calls are expected", "Say it in the questions"),
    ],
)
def test_a_remedy_fits_the_reason(metric, why, remedy):
    nan = math.nan
    gate = made(decision(f"{metric} > 0.5", "incomplete", n=0, lead=nan, p=nan, p_fail=nan, why_unscored=why))
    assert remedy in untested(gate)[0]


@pytest.mark.parametrize(
    "outcome, strict, code", [("pass", False, 0), ("fail", False, 1), ("undecided", False, 0), ("undecided", True, 1)]
)
def test_json_has_the_outcome_the_exit_code_and_why(tmp_path, outcome, strict, code):
    gate = made(decision(outcome=outcome))
    gate.save(tmp_path / "gate.json", strict=strict)
    content = json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))
    assert (content["outcome"], content["exit_code"], content["strict"]) == (outcome, code, strict)
    assert content["why"] == headline(gate, strict)
    assert content["tables"]["rules"][0]["outcome"] == outcome


def test_a_workbook_has_each_number_of_the_rules(tmp_path):
    made(decision(p_fail=0.0004)).save(tmp_path / "gate.xlsx")
    head, row = openpyxl.load_workbook(tmp_path / "gate.xlsx")["Rules"].iter_rows(values_only=True)
    cells = dict(zip(head, row, strict=True))
    assert (cells["Rule"], cells["Outcome"], cells["Interval from"]) == ("nDCG@10 >= -0.02", "undecided", -0.05)
    assert (cells["p of the opposite"], cells["Bound"]) == (0.0004, -0.02)

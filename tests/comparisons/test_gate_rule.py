"""Rules of a gate: what they mean, and what was probably meant where they mean nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.comparisons.gate_rule import Rule, read_rules, rules_of
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import metric


@metric("TestGateTies", better="neither", low=0, high=100)
def ties(response: str) -> float:
    """Of which neither more nor less is better."""
    return float(response)


@pytest.mark.parametrize(
    "text, meant, kind, bound",
    [
        ("nDCG@10 >= -0.02", "nDCG@10 >= -0.02", "non-inferiority", -0.02),
        ("nDCG@10>-.02", "nDCG@10 > -0.02", "non-inferiority", -0.02),
        ("nDCG@10 ≥ −0.02", "nDCG@10 >= -0.02", "non-inferiority", -0.02),
        ("nDCG(gains=exp, discount=jk)@10 >= baseline - 0.02", None, "non-inferiority", -0.02),
        ("P@5 >= baseline-0", "P@5 >= +0", "superiority", 0.0),
        ("P@5 > baseline", "P@5 > +0", "superiority", 0.0),
        ("P @ 5 > baseline + 1e-2", "P@5 > +0.01", "superiority", 0.01),
        ("Success > 0.80", "Success > 0.8", "threshold", 0.8),
        ("QuerySuccess(at=0.7) > 5e-1", "QuerySuccess@0.7 > 0.5", "threshold", 0.5),
        ("PassRate(price) > .5", "PassRate(price) > 0.5", "threshold", 0.5),
        ("TER <= 0.4", "TER <= 0.4", "threshold", 0.4),
        ("TER < +0.02", "TER < +0.02", "non-inferiority", 0.02),
        ("TER ≤ baseline - 0.02", "TER <= -0.02", "superiority", -0.02),
        ("DCG@10 > 400", "DCG@10 > 400", "threshold", 400),
        ("TestGateTies <= 60", "TestGateTies <= 60", "threshold", 60),
        ("TestGateTies >= 40", "TestGateTies >= 40", "threshold", 40),
    ],
)
def test_a_rule_means(text, meant, kind, bound):
    rule = Rule.of(text)
    assert (rule.kind, rule.bound) == (kind, bound)
    assert str(rule) == (meant or "nDCG(gains=exp,discount=jk)@10 >= -0.02")
    assert Rule.of(rule) is rule
    assert Rule.of(str(rule)) == rule


@given(st.sampled_from(["> ", ">="]), st.booleans(), st.floats(0.001, 0.999))
def test_what_is_printed_is_read_as_the_same(operator, relative, bound):
    rule = Rule(Rule.of("P@5 > 0.5").metric, operator.strip(), round(bound, 9), relative)
    assert Rule.of(str(rule)) == rule


def test_only_at_the_bound_more_and_at_least_do_not_say_the_same():
    least, more = Rule.of("RR >= -0.5"), Rule.of("RR > -0.5")
    assert [rule.allows(amount) for rule in (least, more) for amount in (-0.6, -0.5, 0.0)] == [0, 1, 1, 0, 0, 1]
    assert [Rule.of("TER <= +1").allows(amount) for amount in (1.0, 1.1, -3)] == [1, 0, 1]


@pytest.mark.parametrize(
    "text, told",
    [
        # the worse is demanded
        ("TER >= -0.02", r"of TER less is better, .* write 'TER <= \+0.02'"),
        ("TER > 0.3", r"write 'TER < 0.3'"),
        ("nDCG@10 <= 0.8", r"of nDCG@10 more is better, .* write 'nDCG@10 >= 0.8'"),
        ("nDCG@10 < -0.02", r"write 'nDCG@10 > -0.02'"),
        ("nDCG@10 <= +0.02", r"write 'nDCG@10 >= -0.02'"),
        # what is always or never true
        ("nDCG@10 >= 0.0", r"always from 0 to 1, so that this is true of every system; .* write 'nDCG@10 >= \+0'"),
        ("nDCG@10 > 0", r"write 'nDCG@10 > \+0'"),
        ("DCG > 0", r"always from 0 to inf, .* write 'DCG > \+0'"),
        ("nDCG@10 >= 80", r"can never be shown; if it is in percent, write 'nDCG@10 >= 0.8'"),
        ("nDCG@10 >= -2", r"a difference in nDCG@10 .* from -1 to 1, .* true of every .* write 'nDCG@10 >= -0.02'"),
        ("nDCG@10 >= +2", r"can never be shown; if it is in percent, write 'nDCG@10 >= \+0.02'"),
        ("nDCG@10 >= 1", r"can never be shown; choose a bound between them"),
        ("nDCG@10 >= +1", r"can never be shown; choose a bound between them"),
        ("nDCG@10 >= -1", r"is true of every system; choose a bound between them"),
        ("nDCG@10 >= 150", r"can never be shown; choose a bound between them"),
        ("TER < 0", r"can never be shown"),
        # what cannot be read
        ("nDCG@10", "cannot be read; write such as"),
        ("> 0.8", "cannot be read"),
        ("nDCG@10 >= ", "cannot be read"),
        ("", "cannot be read"),
        ("nDCG@10 = 0.8", "write >= or <="),
        ("nDCG@10 == 0.8", "write >= or <="),
        ("nDCG@10 >= -2%", "metric's own units"),
        ("nDCG@10 >= baseline * 2", r"bound 'baseline \* 2' cannot be read; write -0.02, \+0.01, 0.8, baseline or"),
        ("nDCG@10 >= baseline 0.02", "cannot be read"),
        ("nDCG@10 >= baseline -", "cannot be read"),
        ("nDCG@10 >= -", "cannot be read"),
        ("nDCG@10 >= nan", "cannot be read"),
        ("nDCG@10 >= 1e999", "too large"),
        ("nDCG@10 >= -0.02, P@5 > 0.8", "says several things; give each a rule of its own"),
        ("0.8 < nDCG@10", "cannot read '0.8'"),
        ("nDGC@10 > 0.8", "no metric is called 'nDGC'; did you mean nDCG"),
    ],
)
def test_what_is_no_rule_says_what_was_probably_meant(text, told):
    with pytest.raises(SpecError, match=told) as error:
        Rule.of(text)
    assert str(error.value).startswith(f"rule {text!r}: ")


def test_each_rule_counts_once_and_there_must_be_one():
    assert [str(rule) for rule in rules_of(["RR > .5", "P@5 >= -0.1", "RR > 0.50"])] == ["RR > 0.5", "P@5 >= -0.1"]
    assert rules_of("RR > .5") == rules_of(Rule.of("RR > .5")) == [Rule.of("RR > 0.5")]
    with pytest.raises(SpecError, match="needs a rule"):
        rules_of([])


def test_a_file_of_rules(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text("\ufeff# ours\n\nnDCG@10 >= -0.02  # no worse\n  Success > 0.8\n", encoding="utf-8")
    assert [str(rule) for rule in read_rules(file)] == ["nDCG@10 >= -0.02", "Success > 0.8"]
    file.write_text("RR > 0.5\n\nRR >= 50\n")
    with pytest.raises(InputError, match=r"rules.txt line 3: rule 'RR >= 50': .* write 'RR >= 0.5'"):
        read_rules(file)
    file.write_text("# nothing\n")
    with pytest.raises(InputError, match=r"rules.txt: has no rule; write such as"):
        read_rules(file)
    file.write_bytes(b"# ours\nRR \xff\xfe")
    with pytest.raises(InputError, match=r"rules.txt line 2: byte 4 \(0xff\) is not UTF-8; save the file as UTF-8"):
        read_rules(file)

import numpy as np
import pytest

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.online.continuation import Continuation, read_continuation, write_continuation

NAN = np.full(4, np.nan)
SAID = {"model": "PBM", "how": "EM", "n": 12, "unit": "searches"}


def test_c_is_the_quotient_of_views_and_the_tail_goes_on_like_the_last_three():
    """V = 1, 1/2, 1/4, 1/32: C = 1/2, 1/2, 1/8, of which the geometric mean is (1/32)^(1/3)."""
    one = Continuation.of_views(np.array([1, 1 / 2, 1 / 4, 1 / 32]), NAN, NAN, **SAID)
    assert one.continuation == [0.5, 0.5, 0.125]
    assert one.tail == pytest.approx(32 ** (-1 / 3), abs=1e-6)
    assert one.to_depth(2).tolist() == [0.5, 0.5]


def test_ranks_below_an_unknown_one_are_not_used():
    one = Continuation.of_views(np.array([1, 0.8, np.nan, 0.5]), NAN, NAN, **SAID)
    assert (one.continuation, one.views, one.low) == ([0.8], [1.0, 0.8], [None, None])
    with pytest.raises(SpecError, match="needs at least two ranks that users look at; there are 1"):
        Continuation.of_views(np.array([1, np.nan, 0.5, 0.5]), NAN, NAN, **SAID)


def test_a_rank_that_more_look_at_than_the_one_above_has_c_1():
    assert Continuation.of_views(np.array([0.5, 0.6, 0.3, 0.2]), NAN, NAN, **SAID).continuation[:2] == [1.0, 0.5]


def test_the_file_is_read_as_it_was_written_and_is_the_user_of_cwl(tmp_path, monkeypatch):
    """P(1) is relevant: the rate is 1 over the ranks seen; C = 1/2 everywhere is RBP(p=0.5)."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "users.json"
    one = Continuation.of_views(np.array([1, 1 / 2, 1 / 4, 1 / 8]), NAN, NAN, **SAID)
    write_continuation(file, one)
    assert read_continuation(file) == one
    ranks = ranking([1, 0, 1, 0, 1])
    metric = Metric.of("CWL(model=users.json)")
    assert str(metric) == "CWL(users.json)"
    assert str(Metric.of(str(metric))) == str(metric)
    for name in ("CWL(users.json)", "CWL(Fitted(file=users.json))", f"CWL({file})", "CWL(Fitted)"):
        assert Metric.of(name)(ranks) == pytest.approx(Metric.of("RBP(p=0.5)")(ranks), abs=1e-9), name


def test_a_changed_file_is_read_again(tmp_path):
    file = tmp_path / "users.json"
    for last in (0.25, 0.125):
        write_continuation(file, Continuation.of_views(np.array([1, 0.5, last]), NAN[:3], NAN[:3], **SAID))
        assert read_continuation(file).views[-1] == last


@pytest.mark.parametrize(
    "text, message",
    [
        (None, r"no such user model file .*neraca clicks EVENTS --to users.json"),
        ("{", "not a user model file"),
        ('{"model": "PBM"}', "missing required field"),
        (
            '{"model": "PBM", "how": "", "n": 1, "views": [1, 2], "continuation": [2], "tail": 0.5}',
            "probabilities from 0 to 1",
        ),
    ],
)
def test_a_missing_or_wrong_file_says_what_to_do(tmp_path, text, message):
    file = tmp_path / "users.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(SpecError, match=message):
        Metric.of(f"CWL({file})")(ranking([1]))

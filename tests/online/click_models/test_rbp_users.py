"""Users who read on with probability 0.8 click; their log is fitted, and the file scores as RBP(p=0.8) does."""

import numpy as np
import pytest
from online.click_models.simulated import simulated_log

from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.online.click_models.fits import fit_models
from neraca.online.click_models.position_based import PositionBased
from neraca.online.continuation import write_continuation
from neraca.reports.online.click_models import UserFindings


def test_rbp_users_come_back_as_rbp(tmp_path):
    """Within 0.01 of CWL(RBP(p=0.8)), from 20,000 searches."""
    rng = np.random.default_rng(8)
    model = PositionBased(rng.beta(2, 3, 50 * 8), 0.8 ** np.arange(8), np.zeros(8))
    log = simulated_log(model, 20_000, 50, 8)
    fits, refused = fit_models(log, ["PBM"])
    one = UserFindings(log, fits, refused, None).continuation()
    assert one.continuation == pytest.approx([0.8] * 7, abs=0.05)
    assert (one.n, one.unit, one.model) == (20_000, "searches", "PBM")
    write_continuation(tmp_path / "users.json", one)
    for grades in ([1, 0, 1, 1, 0, 0, 1, 0, 0, 1], [0, 0, 0, 1, 1, 1], [1, 1], [0] * 8 + [1] * 8):
        fitted = Metric.of(f"CWL({tmp_path / 'users.json'})")(ranking(grades))
        assert fitted == pytest.approx(Metric.of("CWL(RBP(p=0.8))")(ranking(grades)), abs=0.01)

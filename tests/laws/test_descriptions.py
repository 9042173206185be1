"""Laws of descriptions: whatever parameter a metric is given, its description follows."""

import inspect

import pytest

from neraca.metrics.metric import METRICS, Metric

#: Values other than the defaults; those of words are among what the metrics take.
OTHER = {
    **{"of": ["k", "returned", "total", "depth", "judged"], "R": ["returned"], "stat": ["p", "r"], "empty": ["zero"]},
    **{"contexts": ["irrelevant"], "missing": ["fail", "skip"], "unjudged": ["fail"], "better": ["lower"]},
    **{
        "tokens": ["char"],
        "language": ["es"],
        "by": ["human"],
        "embed": ["m"],
        "gains": ["exp"],
        "order": ["any"],
        "scale": ["1-5"],
    },
    **{
        "sentences": ["punctuation"],
        "smoothing": ["method2"],
        "discount": ["jk"],
        "idf": ["corpus"],
    },
}
#: What a metric cannot be without.
NEEDED = {"name": "polite", "aspect": "price", "over": "old", "metric": "AP", "recall": 0.1, "model": "P@5"}


def parameters_of(name):
    """Every parameter of a metric that is given by name, with values that are not its default."""
    for parameter in inspect.signature(METRICS.get(name).function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            usual = parameter.default
            if isinstance(usual, bool):
                values = [not usual]
            elif isinstance(usual, int | float):
                values = [
                    {"low": -7.0, "high": 7.0}.get(parameter.name, 0.3 if isinstance(usual, float) else usual + 3)
                ]
            else:
                values = OTHER.get(parameter.name, ["word"])
            yield parameter.name, usual, [value for value in values if value != usual]


@pytest.mark.parametrize("name", sorted(METRICS.names()))
def test_every_parameter_changes_the_description_or_is_named_in_it(name):
    takes = inspect.signature(METRICS.get(name).function).parameters
    needed = {key: value for key, value in NEEDED.items() if key in takes and takes[key].default is takes[key].empty}
    if name == "Average":  # it takes metrics, and no parameter
        return

    def made(**params):
        given = ",".join(f"{key}={value}" for key, value in {**needed, **params}.items())
        return Metric.of(f"{name}({given})" if given else name)

    plain = made().summary
    for value in needed.values():
        assert str(value) in plain
    for parameter, usual, values in parameters_of(name):
        for value in values if parameter not in needed else ():
            metric = made(**{parameter: value})
            if str(metric) == str(made()):
                continue  # the metric has this as its default
            names_it = parameter == "at" and f"@{value}" in str(metric) and " k" in metric.summary
            assert metric.summary != plain or names_it, (parameter, usual, value)
            assert "{" not in metric.summary

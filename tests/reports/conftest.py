"""Small run folders whose metric values are known, and a large one like the demo's."""

import random

import pytest

from neraca.comparisons.compare import compare
from neraca.datasets.dataset import Dataset
from neraca.judges.rules.rules_judge import RulesJudge
from neraca.metrics.metric import METRICS, metric
from neraca.records import Answer, Constraint, Hit, Item, Near, Verdict
from neraca.runs.run import Run
from neraca.scores.score import score


def given(answer: Answer) -> float | None:
    """The value written into the answer, $v \\le 10$.

    For tests of reports.
    """
    return answer.usage.get("v")


def cost(answer: Answer) -> float | None:
    """The value written into the answer, where less is better."""
    return answer.usage.get("v")


@pytest.fixture(autouse=True, scope="module")
def own_metrics():
    """Metrics whose values are given, known only while these tests run."""
    why = "no value was given"
    metric("Given", low=-10, high=10, why_undefined=why)(given)
    metric("Cost", better="lower", high=float("inf"), why_undefined=why)(cost)
    yield
    for name in ("Given", "Cost"):
        del METRICS._objects[name], METRICS._sources[name]


@pytest.fixture(scope="module")
def new_folder(tmp_path_factory):
    """Make a place for runs: the function that writes one there of items, then answers, then verdicts."""

    def place():
        path = tmp_path_factory.mktemp("runs")

        def make(name, items, answers, verdicts=(), source="questions.csv", **settings):
            run = Run.create(path / name, Dataset(tuple(items), source), settings or {"kind": "python", "name": name})
            with run.writing():
                run.answers_journal.append(*answers)
                run.verdicts_journal.append(*verdicts)
            run.update(started="2026-01-02T03:04:05Z", ended="2026-01-02T03:05:05Z", versions={"neraca": "0.1.0"})
            return run

        return make

    return place


@pytest.fixture
def folder(new_folder):
    """Write a run: items, then answers, then verdicts."""
    return new_folder()


@pytest.fixture
def weighed(folder):
    """Scores and differences of runs whose values are given: name → a value or None for each question."""

    def make(runs, metric="Given", sessions=None, level=0.95, **comparing):
        size = len(next(iter(runs.values())))
        items = [Item(id=f"q{n}", query=f"question {n}", session=(sessions or [None] * size)[n]) for n in range(size)]
        made = []
        for name, values in runs.items():
            usage = [{} if v is None else {"v": float(v)} for v in values]
            made.append(folder(name, items, [Answer(item=f"q{n}", text=name, usage=u) for n, u in enumerate(usage)]))
        scores = score(made, metric, level=level)
        return scores, compare(scores, **comparing) if len(made) > 1 else []

    return make


CONSTRAINTS = {
    "type": Constraint(equals="house", synonyms=["villa"]),
    "location": Constraint(contains_any=["cemara asri"], near=Near(lat=3.6, lng=98.7, radius_km=3, name="Cemara Asri")),
    "price": Constraint(min=1e9, max=1999999999),
    "bedrooms": Constraint(exact=3),
    "floors": Constraint(about=2),
}


def house(rng, quality, number):
    """A listing that keeps more of the constraints the better its search method is."""

    def lucky():
        return rng.random() < quality

    fields = {
        "type": "house" if lucky() else "shop",
        "location": "Cemara Asri, Medan" if lucky() else "Helvetia, Medan",
        "price": rng.randrange(1_000_000_000, 1_900_000_000) if lucky() else 2_500_000_000,
        "bedrooms": 3 if lucky() else 2,
        "floors": 2 if lucky() else None,
        "lat": 3.6 + rng.random() / 20,
        "lng": 98.7,
        "facilities": ["garden", "carport", "generator"],
        "description": "A long description of the house and all that is near to it. " * 12,
    }
    text = f"House number {number} with a garden and a view of the river, near the market"
    return Hit(id=f"L{number:04}", text=text, score=0.5, fields=fields)


def searched(folder, questions, methods=(("lexical", 0.75), ("vector", 0.85), ("hybrid", 0.93)), hits=10):
    """Runs like the demo's: sessions, categories, five constraints on every hit, some answers that went wrong."""
    items = [
        Item(
            id=f"q{n:03}",
            query=f"Looking for a house in Cemara Asri with three bedrooms, number {n}",
            session=f"s{n // 3}",
            expects="none" if n % 10 == 9 else "results",
            constraints=CONSTRAINTS,
            tags={"category": ("simple", "price", "follow-up", "nothing")[n % 4]},
        )
        for n in range(questions)
    ]
    runs = []
    for place, (name, quality) in enumerate(methods):
        rng = random.Random(place)
        answers = []
        for n, item in enumerate(items):
            count = 0 if n % 10 == 9 and rng.random() < 0.7 else hits
            found = tuple(house(rng, quality, 1000 * place + 10 * n + rank) for rank in range(count))
            status = {4: "timeout", 7: "suspect"}.get(n - 5 * place, "complete")
            error = "no answer after 30 s" if status == "timeout" else None
            found = () if status == "timeout" else found
            text = f"I found {len(found)} houses that fit. " * 5
            more = {"seconds": 0.1 * rng.random() + 0.3, "first_token_seconds": 0.1, "usage": {"tokens": 120.0}}
            answers.append(Answer(item=item.id, text=text, hits=found, status=status, error=error, **more))
        verdicts = list(RulesJudge({"lat": "lat", "lng": "lng"}).judge(list(zip(items, answers, strict=True))))
        runs.append(folder(name, items, answers, verdicts, kind="http", url="http://127.0.0.1/chat", api_key="s3cret"))
    return runs


@pytest.fixture(scope="module")
def search_runs(new_folder):
    """The factory of runs like the demo's."""
    return lambda questions=30, **more: searched(new_folder(), questions, **more)


HOSTILE = [
    "<script>alert('owned')</script>",
    "</details></section></main><h1>gone</h1>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1) [click](javascript:alert(1))",
    "![x](http://evil.example/x.png) <http://evil.example> https://evil.example www.evil.example a@evil.example @admin",
    "| a | b |\n|---|---|\n# heading\n- list\n> quote\n```\nfence\n```\n`tick` ``two`` \\| \\",
    "&lt;b&gt; &amp; {{ 7 * 7 }} {% raw %} ${x} <!-- open",
    "safe\u202egnp.exe \u2066isolated \u200bzero\ufeff \x00\x1b[31m\x07 \ud83c",
    "W" * 3000,
    "",
    "🏠👩‍👩‍👧 emoji",
    "منزل من ثلاث غرف نوم",
]


@pytest.fixture(scope="module")
def hostile_scores(new_folder):
    """Two runs in which every text that anybody but us wrote is hostile."""
    folder = new_folder()
    items, verdicts = [], []
    for n, text in enumerate(HOSTILE):
        bad = text.encode("utf-8", "replace").decode()
        items.append(
            Item(
                id=f"q{n} {bad[:60]}",
                query=bad,
                session=bad[:50] or None,
                references=(bad,),
                expects="results",
                constraints={bad or "empty": Constraint(equals=bad or "x", contains_any=[bad or "x"], fields=[bad])},
                tags={bad[:40] or "empty": bad, "category": bad[:40]},
            )
        )
    runs = []
    for name in ('new <b>"|`*_', "old"):
        answers = []
        for item, text in zip(items, HOSTILE, strict=True):
            bad = text.encode("utf-8", "replace").decode()
            hits = (Hit(id=bad or "x", text=bad, fields={bad: bad, "list": [bad], "table": {bad: bad}}),)
            told = {"note": bad, "error": bad}
            answers.append(Answer(item=item.id, text=bad, hits=hits, usage={bad or "x": 1.0, "v": 0.5}, **told))
            aspect = next(iter(item.constraints))
            by = f"human:{bad[:30]}"
            for about, what in ((f"hit:{bad or 'x'}", aspect), ("answer", bad or "quality"), (f"claim:{bad}", "x")):
                value = 1.0 if name == "old" else 0.0
                verdicts.append(Verdict(item=item.id, about=about, aspect=what, by=by, value=value, why=bad))
        safe = name.replace("/", "")
        runs.append(folder(safe, items, answers, verdicts, source=HOSTILE[0], kind=HOSTILE[2], url=HOSTILE[6]))
    scores = score(runs, "nDCG@10 Given PassRatio")
    return scores, compare(scores)

"""Signatures: one line that says all that was chosen, and nothing that plays no part."""

from importlib.metadata import version

import pytest

from neraca.metrics.metric import METRICS, Metric, metric
from neraca.metrics.text.signature import signature, signatures
from neraca.metrics.text.texts import Texts

SNOWBALL = f"snowball-{version('PyStemmer')}"
READ = "tokens:word|norm:nfkc|case:lower|stem:no|articles:kept"


def made(name, languages=("",), found=""):
    line = signature(Metric.of(name), languages, found)
    assert line.endswith(f"|neraca:{version('neraca')}")
    return line.rpartition("|")[0]


@pytest.mark.parametrize(
    "name, languages, line",
    [
        ("ROUGE-L", ["es"], f"ROUGE-L|stat:f|{READ}|language:es|refs:best"),
        ("ROUGE-L", ["es", "en", "es"], f"ROUGE-L|stat:f|{READ}|language:en,es|refs:best"),
        ("ROUGE-L", [""], f"ROUGE-L|stat:f|{READ}|language:unknown|refs:best"),
        ("ROUGE-L", [], f"ROUGE-L|stat:f|{READ}|language:unknown|refs:best"),
        ("ROUGE-L(language=Spanish)", ["en"], f"ROUGE-L|stat:f|{READ}|language:es|refs:best"),
        (
            "ROUGE-1(stat=r,tokens=word-articles+stem)",
            ["es"],
            f"ROUGE-1|stat:r|tokens:word+stem-articles|norm:nfkc|case:lower|stem:{SNOWBALL}|articles:dropped|"
            "language:es|refs:best",
        ),
        (
            "ROUGE-1(tokens=space+case-articles)",
            ["th", "en"],
            "ROUGE-1|stat:f|tokens:space+case-articles|norm:nfkc|case:kept|stem:no|articles:dropped(en)|"
            "language:en,th|refs:best",
        ),
        (
            "ROUGE-1(tokens=google+stem)",
            ["es"],
            "ROUGE-1|stat:f|tokens:google+stem|norm:no|case:lower|stem:porter|articles:kept|refs:best",
        ),
        (
            "TokenF1(tokens=squad)",
            ["es"],
            "TokenF1|tokens:squad|norm:no|case:lower|stem:no|articles:dropped(en)|refs:best",
        ),
        (
            "BLEU(tokens=nltk+lower)",
            ["es"],
            "BLEU|smoothing:method1|order:4|weights:none|effective:no|tokens:split+lower|norm:no|case:lower|stem:no|"
            "articles:kept|refs:all",
        ),
        ("JaroWinkler(tokens=raw)", ["es"], "JaroWinkler|tokens:raw|refs:best"),
        ("ROUGE-L(tokens=pltrdy)", ["es"], "ROUGE-L|stat:f|tokens:pltrdy|refs:best"),
        ("nDCG", ["es"], "nDCG|gains:linear|discount:log2|empty:expected"),
        ("P@5", [""], "P|at:5|rel:1|of:k|empty:expected"),
    ],
)
def test_by_metric(name, languages, line):
    assert made(name, languages) == line


def test_stems_that_a_metric_compares_as_well_are_told():
    assert f"|{READ.replace('stem:no', f'stem:{SNOWBALL}')}|language:es|" in made("METEOR", ["es"])
    assert f"|stem:{SNOWBALL}(es)|articles:kept|language:es,th|" in made("METEOR", ["es", "th"])
    assert "|stem:no|" in made("METEOR")
    assert "|stem:no|" in made("METEOR(stem=false)", ["es"])
    assert "|tokens:nltk|norm:no|case:lower|stem:porter|" in made("METEOR(tokens=nltk)", ["es"])
    assert "|tokens:split|norm:no|case:kept|" in made("CorpusBLEU(tokens=nltk)", ["es"])
    assert "|tokens:13a|norm:nfc|case:kept|stem:no|" in made("METEOR(tokens=13a)", ["es"])


def test_a_language_that_was_found_is_marked():
    assert "|language:es(auto)|" in made("ROUGE-L", ["es"], "es")
    assert "|language:en,es(auto)|" in made("ROUGE-L", ["es", "en"], "es")
    assert "|language:es|" in made("ROUGE-L(language=es)", ["es"], "es")
    assert "|language:unknown|" in made("ROUGE-L", [""], "")


def test_what_a_metric_is_made_of_has_its_own_line():
    average = Metric.of("Average(ROUGE-1,TokenF1)")
    found = signatures([average, Metric.of("P@5")], ["es"])
    assert list(found) == ["Average(ROUGE-1,TokenF1)", "ROUGE-1", "TokenF1", "P@5"]
    assert found["Average(ROUGE-1,TokenF1)"].startswith("Average|of:ROUGE-1,TokenF1|")
    assert found["ROUGE-1"] == signature(Metric.of("ROUGE-1"), ["es"])
    assert average.reads_texts
    assert not Metric.of("Average(P@5,RR)").reads_texts


def test_a_users_own_metric():
    @metric("OwnSignature", references="all")
    def own(texts: Texts, *, share: float = 0.5, strict: bool = False, tokens: str = "mine", name: str = "") -> float:
        return share

    @metric("OwnTokens")
    def counts(response: str, *, tokens: int = 5, language: bool = False) -> float:
        return 1.0

    @metric("OwnWords")
    def reads(texts: Texts, *, tokens: str = "word+mine", language: str = "es") -> float:
        return 1.0

    assert made("OwnTokens(tokens=6)", ["es"]) == "OwnTokens|tokens:6|language:no"
    assert made("OwnWords") == "OwnWords|tokens:word+mine|language:es|refs:best"

    @metric("OwnScorer")
    def scorer(reference: str, response: str, *, strict: bool = True) -> float:
        return 1.0

    @metric("OwnLength")
    def length(response: str) -> float:
        return 1.0

    assert made("OwnSignature(share=0.25)") == ("OwnSignature|share:0.25|strict:no|name:none|tokens:mine|refs:all")
    assert made("OwnScorer", ["es"]) == "OwnScorer|strict:yes|refs:best"
    assert made("OwnLength", ["es"]) == "OwnLength"
    assert Metric.of("OwnScorer").reads_texts
    assert not Metric.of("OwnLength").reads_texts


OURS = [name for name in METRICS.names() if METRICS.get(name).function.__module__.startswith("neraca.")]
NEEDS = {
    "Average": "ROUGE-1",
    "Condensed": "P@5",
    "Pooled": "P@5",
    "PassRate": "price",
    "Residual": "RBP",
    "CWL": "P@5",
    "IPrec": "0.5",
    "Rubric": "tone",
    "Aspect": "polite",
    "Preferred": "other",
}


@pytest.mark.parametrize("name", OURS)
def test_every_metric_has_one(name):
    line = signature(Metric.of(f"{name}({NEEDS[name]})" if name in NEEDS else name), ["en"])
    assert line.split("|")[0] == name
    assert " " not in line
    assert all(":" in part for part in line.split("|")[1:])


def test_arabic_readings_say_what_they_cut_and_fold():
    line = made("TokenF1(tokens=word-articles-prefixes)", ("ar",))
    assert "|prefixes:cut|marks:folded|" in line
    line = made("TokenF1", ("ar",))
    assert "prefixes:" not in line
    assert "|marks:folded|" in line
    line = made("TokenF1(tokens=word+marks)", ("ar",))
    assert "marks:" not in line


def test_metrics_of_characters_say_that_they_compose_them():
    assert "|norm:nfc|" in made("chrF") + "|"
    assert "|norm:nfc|" in made("CorpusTER") + "|"
    assert "norm:nfc|" not in made("JaroWinkler")

import importlib
import subprocess
import sys
import textwrap

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neraca.errors import InputError, SpecError
from neraca.metrics.metric import METRICS, Metric
from neraca.registry import Registry, Spec, bind, load_file, split_specs

#: Texts that are read as something else than words.
NO_WORDS = {"nan", "inf", "infinity", "true", "false"}
WORDS = st.from_regex(r"[A-Za-zÀ-ÖØ-öø-ž_][\w.+-]{0,8}", fullmatch=True).filter(
    lambda word: word.lower() not in NO_WORDS
)
KEYS = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True).filter(lambda key: key != "at")
VALUES = st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS


@st.composite
def specs(draw):
    params = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    if draw(st.booleans()):
        params["at"] = draw(st.integers(-5, 10**12) | WORDS | st.floats(0, 1))
    return Spec(draw(WORDS), params, tuple(draw(st.lists(VALUES, max_size=2))))


@given(specs())
def test_what_is_printed_is_read_again(spec):
    again = Spec.parse(str(spec))
    assert again == spec
    assert str(again) == str(spec)
    assert hash(again) == hash(spec)
    assert (again.name, again.params.keys(), len(again.values)) == (spec.name, spec.params.keys(), len(spec.values))


@given(st.lists(specs(), max_size=4), st.sampled_from([" ", ", ", ",", "\n", "  ,\t"]))
def test_lists_of_names_are_split_where_they_were_joined(several, between):
    names = [str(spec) for spec in several]
    assert split_specs(between.join(names)) == names


@example("P(at=a b)")
@example("P(a=1(,)b, (c,d))@1.")
@given(st.text(alphabet="Pat1.,=@()[] -+\n", max_size=12))
def test_any_text_is_read_or_refused_in_words(text):
    try:
        read = Spec.parse(text)
    except SpecError:
        return
    assert Spec.parse(str(read)) == read


@pytest.mark.parametrize(
    "text, name, params, values",
    [
        ("RR", "RR", {}, ()),
        (" nDCG ( gains = exp ) @ 10 ", "nDCG", {"gains": "exp", "at": 10}, ()),
        ("X(a=1,b=1.5,c=true,d=False,e=t5)", "X", {"a": 1, "b": 1.5, "c": True, "d": False, "e": "t5"}, ()),
        ("X(a=1e3)", "X", {"a": 1000.0}, ()),
        ("ROUGE-L", "ROUGE-L", {}, ()),
        ("chrF++", "chrF++", {}, ()),
        ("Faithfulness(by=llm:gpt-4o-mini)", "Faithfulness", {"by": "llm:gpt-4o-mini"}, ()),
        ("Condensed(nDCG(gains=exp)@10)", "Condensed", {}, ("nDCG(gains=exp)@10",)),
        ("Condensed(m=P(rel=2,of=k)@5)", "Condensed", {"m": "P(rel=2,of=k)@5"}, ()),
        ("PassRate(jumlah kamar)", "PassRate", {}, ("jumlah kamar",)),
        ("X()", "X", {}, ()),
    ],
)
def test_reading(text, name, params, values):
    found = Spec.parse(text)
    assert (found.name, found.params, found.values) == (name, params, values)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@5",
        "5P",
        "P@",
        "P@5@6",
        "P(",
        "P)",
        "P)(",
        "P(a=)",
        "P(1a=2)",
        "P(a=1,a=2)",
        "P(at=1)@2",
        "a b",
        "P((a)",
        "P(a))",
    ],
)
def test_what_cannot_be_read(text):
    with pytest.raises(SpecError):
        Spec.parse(text)


@pytest.mark.parametrize(
    "text, names",
    [
        ("", []),
        (" , ", []),
        ("P@5,RR", ["P@5", "RR"]),
        ("nDCG (gains=exp) @10 P @ 5", ["nDCG(gains=exp)@10", "P@5"]),
        ("P(rel=2, of=returned)@5 RR", ["P(rel=2, of=returned)@5", "RR"]),
    ],
)
def test_splitting(text, names):
    assert split_specs(text) == names


def test_parentheses_that_do_not_match():
    for text in ("P(a", "P)a", "P(a)) RR"):
        with pytest.raises(SpecError, match="do not match"):
            split_specs(text)


def test_specs_are_values():
    assert Spec("P", {"at": 5}) == Spec.parse("P@5")
    assert Spec("P") != "P"
    assert repr(Spec.parse("P@5")) == "Spec('P@5')"
    assert str(Spec("X", {"a": 2.0, "b": 1e20, "c": True})) == "X(a=2,b=1e+20,c=true)"


def takes(
    *, place: str, path: str, rel: float = 1, fold: bool = False, way: str = "k", at: int = 0, limit: object = None
):
    """What the binding is tried on."""


@pytest.mark.parametrize(
    "text, canonical, given_",
    [
        ("F(a,b)", "F(a,b)", {"place": "a", "path": "b"}),
        ("F(b,place=a)", "F(a,b)", {"place": "a", "path": "b"}),
        ("F(path=b,place=a)", "F(a,b)", {"place": "a", "path": "b"}),
        (
            "F(a,b,way=j,rel=2.5)@7",
            "F(a,b,rel=2.5,way=j)@7",
            {"place": "a", "path": "b", "rel": 2.5, "way": "j", "at": 7},
        ),
        (
            "F(a,b,fold=true,limit=x)",
            "F(a,b,fold=true,limit=x)",
            {"place": "a", "path": "b", "fold": True, "limit": "x"},
        ),
        ("F(a,b,fold=false,rel=1.0,way=k)", "F(a,b)", {"place": "a", "path": "b"}),
    ],
)
def test_binding(text, canonical, given_):
    spec, arguments = bind(Spec.parse(text), takes)
    assert str(spec) == canonical
    assert arguments == given_


@pytest.mark.parametrize(
    "text, message",
    [
        ("F(a)", "needs path"),
        ("F(a,b,c)", "cannot place 'c'"),
        ("F(a,b,zip=1)", "F has no parameter 'zip'; it takes place, path, rel=1"),
        ("F(a,b,fold=yes)", "fold is true or false, not 'yes'"),
        ("F(a,b)@0", "cutoff"),
        ("F(a,b,at=0.5)", "cutoff"),
    ],
)
def test_what_does_not_fit(text, message):
    with pytest.raises(SpecError, match=message):
        bind(Spec.parse(text), takes)


def test_shelf():
    shelf = Registry("thing", "neraca.stats")
    shelf.add("b", 2, "here")
    shelf.add("a", 1)
    assert shelf.names() == ["a", "b"]
    assert shelf.get("a") == 1
    shelf.add("b", 3, "here")
    assert shelf.get("b") == 3
    for name, source, owner in (("b", "there", "here"), ("b", "", "here"), ("a", "", "this program")):
        with pytest.raises(SpecError, match=f"thing '{name}' is registered already, by {owner}"):
            shelf.add(name, 4, source)
    with pytest.raises(SpecError, match="no thing is called 'xyz'; known: a, b"):
        shelf.get("xyz")


def test_what_is_decorated_is_shelved():
    shelf = Registry("thing", "neraca.stats")

    @shelf.register("sum")
    def total(*numbers):
        return sum(numbers)

    assert shelf.get("sum") is total
    assert shelf.register("sum")(total) is total
    with pytest.raises(SpecError, match=r"thing 'sum' is registered already, by .*total"):
        shelf.register("sum")(max)


PLUGIN = """
    from neraca.metrics.metric import metric

    @metric("{name}", high=99)
    def words(response: str) -> float:
        return len(response.split())
"""


def test_a_users_file(tmp_path):
    file = tmp_path / "my metrics.py"
    file.write_text(textwrap.dedent(PLUGIN.format(name="FromFile")))
    load_file(file)
    load_file(file)
    assert Metric.of("FromFile").definition.high == 99


def test_two_files_that_give_the_same_name(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(textwrap.dedent(PLUGIN.format(name="FromTwo")))
    load_file(tmp_path / "one" / "mine.py")
    with pytest.raises(SpecError, match="'FromTwo' is registered already"):
        load_file(tmp_path / "two" / "mine.py")


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("gone.py", None, "no such file"),
        ("notes.txt", "x = 1", r"name must end in \.py"),
        ("bad.py", "def", "SyntaxError"),
        ("worse.py", "1 / 0", "cannot be loaded: ZeroDivisionError: division by zero"),
        ("needs.py", "import no_such_package_anywhere", "ModuleNotFoundError"),
    ],
)
def test_files_that_cannot_be_loaded(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=rf"{name}: .*{message}"):
        load_file(tmp_path / name)


def installed(folder, name, code, entry, group="neraca.metrics"):
    """An installed package, as pip leaves it."""
    (folder / f"{name}.py").write_text(textwrap.dedent(code))
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A new shelf with a home of its own: a package whose modules put something on it."""
    home = tmp_path / "home_of_words"
    (home / "inner").mkdir(parents=True)
    (home / "__init__.py").write_text("")
    (home / "inner" / "__init__.py").write_text("")
    (home / "inner" / "built_in.py").write_text(
        "import home_of_words; home_of_words.shelf.add('built-in', 1, __name__)"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = Registry("word", "home_of_words")
    importlib.import_module("home_of_words").shelf = found
    yield found
    for name in [name for name in sys.modules if name.startswith(("home_of_words", "plug_in_"))]:
        del sys.modules[name]


def test_a_home_with_rooms_and_plug_ins(shelf, tmp_path):
    code = "import home_of_words; home_of_words.shelf.add('plugged-in', 2, __name__)"
    installed(tmp_path, "plug_in_words", code, "words = plug_in_words", "home_of_words")
    assert shelf.get("plugged-in") == 2
    assert shelf.names() == ["built-in", "plugged-in"]


def test_a_thing_that_is_called_as_its_file_needs_no_other_and_no_plug_in(shelf, tmp_path):
    installed(tmp_path, "plug_in_words", "1 / 0", "words = plug_in_words", "home_of_words")
    (tmp_path / "home_of_words" / "alone.py").write_text("import home_of_words; home_of_words.shelf.add('alone', 3)")
    assert shelf.get("alone") == 3
    assert "home_of_words.inner.built_in" not in sys.modules


def test_a_broken_plug_in_is_told_every_time_and_can_be_mended(shelf, tmp_path):
    installed(tmp_path, "plug_in_words", "1 / 0", "words = plug_in_words", "home_of_words")
    for _ in range(2):
        with pytest.raises(SpecError, match=r"plug-in 'words' of package 'plug_in_words' .*ZeroDivisionError"):
            shelf.names()
    (tmp_path / "plug_in_words.py").write_text("mended = True")
    assert shelf.names() == ["built-in"]


def ask_a_new_process(folder, expression):
    code = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); "
        f"from neraca.metrics.metric import METRICS, Metric; print({expression})"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)


def test_an_installed_plug_in(tmp_path):
    installed(tmp_path, "neraca_words", PLUGIN.format(name="FromPackage"), "words = neraca_words")
    found = ask_a_new_process(tmp_path, "str(Metric.of('FromPackage')), 'FromPackage' in METRICS.names()")
    assert found.stdout.strip() == "FromPackage True", found.stderr


def test_an_installed_plug_in_that_is_broken_is_named(tmp_path):
    installed(tmp_path, "neraca_broken", "raise RuntimeError('no luck')", "lucky = neraca_broken")
    found = ask_a_new_process(tmp_path, "METRICS.names()")
    assert found.returncode == 1
    assert "SpecError: plug-in 'lucky' of package 'neraca_broken'" in found.stderr
    assert "RuntimeError: no luck" in found.stderr


def test_built_in_metrics_need_no_plug_ins():
    assert {"P", "nDCG", "PassRatio"} <= set(METRICS.names())


def test_a_plug_in_cannot_take_the_name_of_a_metric_that_was_not_loaded_yet():
    told = subprocess.run(
        [sys.executable, "-c", "from neraca import metric\nmetric('AP')(lambda response: 1.0)"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "'AP' is one of neraca.metrics.ranking.average_precision; give yours another name" in told.stderr


def test_a_parameter_is_never_nan():
    with pytest.raises(SpecError, match="rel is a number, not nan"):
        Metric.of("AP(rel=nan)")


def several(batch, *metrics, needed, at: int = 0): ...


def test_a_parameter_for_any_number_takes_the_further_values():
    spec, params = bind(Spec.parse("M(x,A,B(p=1)@3,at=2)"), several)
    assert str(spec) == "M(x,A,B(p=1)@3)@2"
    assert params == {"needed": "x", "at": 2, "*": ("A", "B(p=1)@3")}
    assert bind(Spec.parse("M(x)"), several)[1] == {"needed": "x"}

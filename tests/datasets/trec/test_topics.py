"""Topics in the forms that TREC hands out.

The texts are written for these tests; the forms are those of the ad hoc tracks of TREC 1 to 8, of the web tracks of
2009 to 2014, of TREC-COVID (2020), of the clinical trials track (2021) and of the deep learning tracks.
"""

import gzip

import pytest

from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.trec.topics import is_numbered, is_topics, read_topics
from neraca.errors import InputError
from neraca.records import Item

CLASSIC = """

<top>

<num> Number: 301 
<title> International Organised
Crime

<desc> Description: 
Find groups that take part
in it.

<narr> Narrative: 
Names & places of  groups;
AT&amp;T is none, nor is x < 3.

</top>

<top>
<num> Number: 302
<title> Polio
<desc> Description:
Is it gone?
</top>
"""
WEB = """<?xml version="1.0" encoding="UTF-8"?>
<webtrack2009>
<!-- <topic number="0"><query>left out</query></topic>
-->
<topic number="1" type="faceted">
  <query>obama family tree</query>
  <description>Find his <b>parents</b> and grandparents.
  </description>
  <subtopic number="1" type="nav">Find the magazine.</subtopic>
  <subtopic number="2" type="inf">Where did they come from?</subtopic>
</topic>
<topic number='2' type="ambiguous">
  <query><![CDATA[R&D <costs>]]></query>
</topic>
</webtrack2009>
"""


@pytest.fixture
def topics(tmp_path):
    """The data set in a file of some content."""

    def read(text, name="t.topics", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_topics(path, **options).items

    return read


@pytest.fixture
def refused(tmp_path):
    def check(text, *words, name="t.topics", **options):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(InputError) as told:
            read_dataset(tmp_path / name, **options)
        for part in words:
            assert part in str(told.value)
        assert name in str(told.value)

    return check


# the classic tracks


def test_fields_that_are_never_closed(topics):
    assert topics(CLASSIC) == (
        Item(
            id="301",
            query="International Organised Crime",
            extra={
                "desc": "Find groups that take part in it.",
                "narr": "Names & places of groups; AT&T is none, nor is x < 3.",
            },
        ),
        Item(id="302", query="Polio", extra={"desc": "Is it gone?"}),
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("</top>", ""),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.upper().replace("AT&AMP;T", "AT&amp;T"),
        lambda text: text.replace("<desc>", "</title><desc>").replace("<narr>", "</desc><narr>").rstrip(),
        lambda text: "<!DOCTYPE topics [ ]>\n<topics>" + text + "</topics>",
    ],
)
def test_closed_or_not_and_in_any_case(topics, change):
    folded = [
        (i.id, i.query.casefold(), {k: v.casefold() for k, v in i.extra.items()}) for i in topics(change(CLASSIC))
    ]
    told = {
        "desc": "find groups that take part in it.",
        "narr": "names & places of groups; at&t is none, nor is x < 3.",
    }
    assert folded == [
        ("301", "international organised crime", told),
        ("302", "polio", {"desc": "is it gone?"}),
    ]


def test_packed(topics):
    assert topics(gzip.compress(CLASSIC.encode(), mtime=0), "t.gz") == topics(CLASSIC)


def test_another_field_is_asked(topics):
    asked = topics(CLASSIC, field="DESC")
    assert [item.query for item in asked] == ["Find groups that take part in it.", "Is it gone?"]
    assert asked[1].extra == {"title": "Polio"}


def test_the_first_tracks(topics):
    """Their judgments call topic 051 "51"; their titles begin with "Topic:"."""
    first = """<top>
<head> Tipster Topic Description
<num> Number:  051
<dom> Domain:  International Economics
<title> Topic:  Airbus Subsidies
<smry> Summary:
What is paid?
<con> Concept(s):
1. Airbus
<fac> Factor(s):
<nat> Nationality: U.S.
</fac>
<def> Definition(s):
</top>"""
    assert topics(first) == (
        Item(
            id="51",
            query="Airbus Subsidies",
            extra={
                "head": "Tipster Topic Description",
                "dom": "International Economics",
                "smry": "What is paid?",
                "con": "1. Airbus",
                "nat": "Nationality: U.S.",
            },
        ),
    )


def test_an_id_that_is_not_called_a_number_stays_as_it_is(topics):
    assert [item.id for item in topics("<top><num>051</num><title>a</title></top>")] == ["051"]
    assert [item.id for item in topics("<top><num> Number: MB01 <title>a</top>")] == ["MB01"]
    assert [item.id for item in topics("<top><num> Number: 0 <title>a</top>")] == ["0"]
    assert [item.query for item in topics("<top><num> Number: 1 <title> Topic: 007 </top>")] == ["007"]


def test_a_label_is_one_at_the_beginning_alone(topics):
    assert [item.query for item in topics("<top><num>1<title>Topic: hot topic: ice</top>")] == ["hot topic: ice"]


def test_a_title_in_two_parts(topics):
    assert [item.query for item in topics("<top><num>1<title>hot<title>ice</top>")] == ["hot ice"]


# XML


def test_a_web_track(topics):
    assert topics(WEB, "wt09.xml") == (
        Item(
            id="1",
            query="obama family tree",
            extra={
                "type": "faceted",
                "description": "Find his parents and grandparents.",
                "subtopic": ["Find the magazine.", "Where did they come from?"],
            },
        ),
        Item(id="2", query="R&D <costs>", extra={"type": "ambiguous"}),
    )


def test_covid_and_clinical_trials(topics):
    covid = (
        '<topics><topic number="1"><query>origin</query><question>What is the origin?</question><x/></topic></topics>'
    )
    assert topics(covid) == (Item(id="1", query="origin", extra={"question": "What is the origin?"}),)
    assert topics(covid, field="question")[0].query == "What is the origin?"
    trials = '<topics task="2021">\n<topic number="1">\nA man of 45.\n</topic></topics>'
    assert topics(trials) == (Item(id="1", query="A man of 45."),)


def test_tags_inside_a_field(topics):
    text = '<TOPIC NUMBER="1"><Query>H<sub>2</sub>O<br/>and<p>CO</p>or <em>N</em>.</Query><x/>own</TOPIC>'
    assert topics(text) == (Item(id="1", query="H2O and CO or N.", extra={"text": "own"}),)


@pytest.mark.parametrize("tag", ["number", "num", "id", "qid", "identifier"])
def test_ids_in_fields_and_attributes(topics, tag):
    assert topics(f"<topic><{tag}>a-7</{tag}><title>t</title></topic>") == (Item(id="a-7", query="t"),)
    assert topics(f"<topic {tag}=a-7><title>t</title></topic>") == (Item(id="a-7", query="t"),)


def test_encodings(topics, refused):
    latin = '<?xml version="1.0" encoding="iso-8859-1"?><topics><topic number="1"><query>café</query></topic></topics>'
    assert topics(latin.encode("latin-1"))[0].query == "café"
    assert topics("<top><num>1<title>café</top>".encode("cp1252"), encoding="cp1252")[0].query == "café"
    assert topics("\ufeff" + CLASSIC.replace("Polio", "polió"))[1].query == "polió"
    refused("<top>\n<num>1<title>café</top>".encode("cp1252"), "line 2: byte 17 (0xe9) is not UTF-8")
    refused("<top><num>1", "cannot be read as klingon", encoding="klingon")
    refused(b"<top><num>1<title>\xff</top>", "cannot be read as ascii", encoding="ascii")


# id, tab, question


def test_lines_of_id_and_question(topics):
    text = '19335\tanthropological definition of "environment"\r\n\r\nx-2\t how long is life <cycle> \n'
    assert topics(text) == (
        Item(id="19335", query='anthropological definition of "environment"'),
        Item(id="x-2", query="how long is life <cycle>"),
    )


# what is refused


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "the file is empty"),
        ("\n\n", "no topic in it"),
        ("<queries><query>a</query></queries>", "no topic in it; a topic begins with <top> or <topic>"),
        (CLASSIC + "<top>\n<title> x\n</top>", "line 25: the topic has no id; write <num> 301"),
        (CLASSIC + "<top>\n<num> Number: 301\n<title> x\n", "line 25: the topic '301' is already in line 3"),
        ('<topic id="1">a</topic><topic id="1">b</topic>', "line 1: the topic '1' is already in line 1"),
        (
            "<top>\n<num>1<title> Topic: \n<desc>d<narr>n</top>",
            "line 1: the topic '1' has no title (known: desc, narr); call the field",
        ),
        ("<top><num>1<desc>d<narr>n</top>", "has no title (known: desc, narr); call the field of the question title"),
        ("\n<top\n>\n<!--\n\n--><num>1</top>\n\n", "line 2: the topic '1' has no title; write one"),
        ("<top\n>\n<num>1<title\n>a</top>\n<top>", "line 5: the topic has no id"),
        (b'<?xml version="1.0" encoding="UTF-8"?>\n<topic number="\xff">', "line 2: byte 16 (0xff) is not UTF-8"),
        (WEB.replace('="1" type', '="2" type'), "line 12: the topic '2' is already in line 5"),
        ("1\ta\n2 b\n", "line 2: a line is an id, a tab and a question; found '2 b'"),
        ("1\ta\tb\n", "line 1: a line is an id, a tab and a question"),
        ("1\t \n", "line 1: a line is an id"),
        (" \ta\n", "line 1: a line is an id"),
    ],
)
def test_errors_name_the_line(refused, text, words):
    refused(text, words)


def test_a_field_that_is_not_there(refused):
    told = "line 3: the topic '301' has no describe (did you mean desc?); call the field of the question title"
    refused(CLASSIC, told, columns={"query": "describe"})
    refused("1\ta\n", "have no field 'desc'", columns={"query": "desc"})


# as a data set


@pytest.mark.parametrize(
    "name, text, number",
    [
        ("t.topics", "301\tcrime\n302\tpolio\n", 2),
        ("t.sgml", CLASSIC, 2),
        ("t.TOPICS.gz", gzip.compress(b"mb-1\ta\nmb-2\tb\n", mtime=0), 2),
        ("wt09.xml", WEB, 2),
        ("topics.301-302", CLASSIC, 2),
        ("topics.txt", "<top><num>1<title>a", 1),
        ("topics.txt", WEB.replace("webtrack2009", "topics").replace("<!--", "<!-- "), 2),
        ("queries.tsv", "19335\twhat is it\n2\tb\n", 2),
        ("queries.tsv.gz", gzip.compress(b"19335\twhat is it\n", mtime=0), 1),
    ],
)
def test_files_of_topics_are_known_by_name_or_beginning(tmp_path, name, text, number):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert len(read_dataset(tmp_path / name)) == number


@pytest.mark.parametrize(
    "name, text",
    [
        ("q.tsv", "id\tquery\n1\ta\n"),
        ("q.tsv", "1\tquery\n1\ta\n"),
        ("q.tsv", "Nr\tFrage\n1\ta\n"),
        ("q.csv", "1\ta\n"),
        ("q.tsv", "1\ta\tb\n"),
        ("q.csv", "<topical>,query\n1,a\n"),
        ("none.tsv", None),
    ],
)
def test_tables_are_no_topics(tmp_path, name, text):
    if text is not None:
        (tmp_path / name).write_text(text)
    assert not is_topics(tmp_path / name)
    assert not is_numbered(tmp_path / name)
    assert not is_topics(tmp_path)
    assert not is_numbered(tmp_path)


def test_a_table_whose_columns_are_mapped_is_one(tmp_path):
    (tmp_path / "q.tsv").write_text("2024\tFrage\n1\twas?\n")
    (item,) = read_dataset(tmp_path / "q.tsv", columns={"query": "Frage"})
    assert item == Item(id="1", query="was?", extra={"2024": "1"})


def test_options_of_tables_are_refused(refused):
    refused(CLASSIC, "a file of topics is not a table; leave columns, sheet out", columns={"id": "num"}, sheet="a")
    refused(CLASSIC, "leave delimiter out", delimiter=";")


def test_judgments_make_them_a_test_collection(tmp_path, refused):
    (tmp_path / "qrels").write_text("301 0 FR94-1 1\n301 0 FR94-2 0\n999 0 FR94-1 1\n")
    (tmp_path / "beir.tsv").write_text("query-id\tcorpus-id\tscore\n302\td\t2\n")
    (tmp_path / "t.txt").write_text(CLASSIC)
    one, two = read_dataset(tmp_path / "t.txt", qrels=tmp_path / "qrels")
    assert (one.relevant, two.relevant) == ({"FR94-1": 1.0, "FR94-2": 0.0}, None)
    one, two = read_dataset(tmp_path / "t.txt", qrels=tmp_path / "beir.tsv")
    assert (one.relevant, two.relevant) == (None, {"d": 2.0})
    (tmp_path / "qrels").write_text("51 0 d 1\n")
    refused(CLASSIC, "it judges '51', the questions are called '301', '302'", qrels=tmp_path / "qrels")


def test_the_description_is_asked_by_query_column(tmp_path):
    (tmp_path / "t.txt").write_text(CLASSIC)
    assert read_dataset(tmp_path / "t.txt", columns={"query": "desc"}).items[1].query == "Is it gone?"

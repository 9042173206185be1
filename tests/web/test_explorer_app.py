"""What `neraca serve` shows of the runs below a folder, and what it shows to nobody."""

import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from builders import make_run
from web.live import request

from neraca.records import Answer, Item, Verdict

#: The path of a run in its row.
NAME = r'name="run" value="([^"]*)"'
HOSTILE = "<img src=x onerror=alert(1)></title><script>alert(1)</script>\x1b[31m\u202e"


def runs_in(folder: Path) -> None:
    """Two finished runs, one of them hostile in every field; one that is being asked; one that leads out."""
    items = [Item(id=f"q{n}", query=f"{HOSTILE} {n}?", tags={"category": HOSTILE}, references=("red",)) for n in (1, 2)]
    for name, text in (("old", "blue"), ("new", f"red {HOSTILE}")):
        answers = [Answer(item=item.id, text=text, usage={"cost": 0.25}) for item in items]
        said = [Verdict(item="q1", about="answer", aspect="kind", value=0, by="human:x", why=HOSTILE)]
        made = make_run(folder / "shop" / name, items, answers, said)
        day = "2026-01-01" if name == "old" else "2026-01-02"
        made.update(started=f"{day}T00:00:00Z", ended=f"{day}T00:01:00Z")
    asked = make_run(folder / "asked", items, [Answer(item="q1", text="red")])
    asked.update(ended="", target={"kind": "http", "name": HOSTILE})
    outside = make_run(folder.parent / "outside", items, [Answer(item="q1", text="secret")])
    (folder / "linked").symlink_to(outside.path)
    (folder / "partly").mkdir()
    for file in outside.path.iterdir():
        (folder / "partly" / file.name).symlink_to(file)
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("{")


@contextmanager
def explorer(folder: Path, *options: str):
    """The process and the link that it prints."""
    command = [sys.executable, "-m", "neraca", "serve", str(folder), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield re.search(r"http\S+", process.stdout.readline())[0]
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served") / "runs"
    runs_in(folder)
    with explorer(folder) as started:
        yield started.rstrip("/")


def get(link: str, path: str, **headers: str):
    """What a browser would get for a path with its query."""
    parts = urlsplit(link)
    return request_path(f"{parts.scheme}://{parts.netloc}", path, **headers)


def request_path(origin: str, path: str, method: str = "GET", **headers: str):
    from contextlib import closing
    from http.client import HTTPConnection

    with closing(HTTPConnection(urlsplit(origin).netloc, timeout=30)) as connection:
        connection.request(method, path, None, {name.replace("_", "-"): value for name, value in headers.items()})
        reply = connection.getresponse()
        return reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read().decode("utf-8", "replace")


def built(link: str, path: str):
    """A report, once it is there; until then, a page says so and asks again."""
    for _ in range(20):
        status, headers, page = get(link, path)
        if status != 202:
            return status, headers, page
        assert headers["refresh"] == "3"
        assert "is being built" in page
        time.sleep(1)
    raise AssertionError("the report was never built")


def scored(link: str) -> str:
    """The list, once no run waits for its scores."""
    for _ in range(1200):
        page = get(link, "/")[2]
        if "still to be scored" not in page:
            return page
        time.sleep(0.05)
    raise AssertionError("the runs were never scored")


def test_the_list_has_every_run_with_its_primary_metric_cost_and_progress(link):
    page = scored(link)
    rows = {names[0]: row for row in page.split("<tr>") if (names := re.findall(NAME, row))}
    assert set(rows) == {"shop/old", "shop/new", "asked", "partly", "broken"}
    assert "<b>0.000</b>" in rows["shop/old"]
    assert "$0.50" in rows["shop/new"], "two questions at 0.25 each"
    assert "being asked: 1 of 2" in rows["asked"]
    assert "cannot be read" in rows["broken"]
    assert 'src="/live.js"' in page, "since one run is being asked"


@pytest.mark.parametrize(
    "query, names",
    [
        ("q=new", {"shop/new"}),
        ("folder=shop", {"shop/new", "shop/old"}),
        ("state=being+asked", {"asked"}),
        ("tag=http", {"asked"}),
        ("q=nothing+such", set()),
    ],
)
def test_the_list_is_searched_by_its_address(link, query, names):
    assert set(re.findall(NAME, get(link, f"/?{query}")[2])) == names


@pytest.mark.parametrize(
    "query, note",
    [
        ("folder=shop/gone", "No run is in the folder shop/gone."),
        ("tag=gone", "No run has the tag gone."),
        ("state=lost", "No state is called lost."),
    ],
)
def test_a_value_that_is_gone_is_shown_as_chosen_and_said(link, query, note):
    page = get(link, f"/?{query}")[2]
    assert f'<p class="bad">{note}</p>' in page
    assert f'value="{query.partition("=")[2]}" selected>' in page
    assert "No run matches." in page
    assert "selected" not in get(link, "/")[2]


def test_a_report_and_an_export_are_those_of_the_runs_named(link):
    status, headers, page = built(link, "/report?run=shop/old&run=shop/new")
    assert status == 200
    assert "old" in page
    assert "new" in page
    inside = re.search('<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)[1]
    assert headers["content-security-policy"] == f"{inside}; frame-ancestors 'none'"
    assert '<a href="/questions?run=shop%2Fold&amp;run=shop%2Fnew">Questions</a>' in page, "it leads back"
    status, headers, table = built(link, "/export?run=shop/old&to=.csv")
    assert (status, headers["content-disposition"]) == (200, 'attachment; filename="report.csv"')
    assert table.splitlines()[0].startswith("run,")


@pytest.mark.parametrize(
    "path",
    [
        "../outside",
        "..%2foutside",
        "linked",
        "partly",
        "shop",
        "/etc",
        ".",
        "",
        "shop/../shop/old",
        "%00",
        "shop%5cold",
    ],
)
def test_no_address_leads_out_of_the_list(link, path):
    for view in ("report", "export", "questions"):
        status, _, page = get(link, f"/{view}?run={path}")
        assert status == 400, path
        assert "secret" not in page
    for address in (f"/{path}/answers.jsonl", f"/style.css/{path}", "/..%2f..%2fetc/passwd", "/.neraca-index.json"):
        assert get(link, quote(address, safe="/%."))[0] == 404


@pytest.mark.parametrize(
    "path", ["/", "/?q=" + quote(HOSTILE), "/report?run=" + quote(HOSTILE), "/?state=" + quote(HOSTILE)]
)
def test_hostile_words_stay_words(link, path):
    _, headers, page = get(link, path)
    assert "<script" not in page.replace('<script src="/live.js" defer></script>', "")
    assert "<img" not in page
    assert not re.search("[\x1b\u202e]", page)
    assert "; script-src 'self';" in headers["content-security-policy"], "no script that stands in a page runs"
    assert "default-src 'none'" in headers["content-security-policy"]


def test_only_this_server_is_meant_and_nothing_is_changed(link):
    assert request_path(link, "/", Host="evil.example")[0] == 400
    assert request_path(link, "/", Origin="http://evil.example")[0] == 403
    assert request_path(link, "/", "POST")[0] == 403
    assert request_path(link, "/", "DELETE", Origin=link)[0] == 404
    headers = request(f"{link}/")[1]
    assert headers["x-frame-options"] == "DENY"


def test_where_others_can_come_a_token_is_needed(tmp_path):
    runs_in(tmp_path / "runs")
    with explorer(tmp_path / "runs", "--url", "http://runs.example.org", "--host", "127.0.0.1") as public:
        assert re.fullmatch(r"http://runs\.example\.org/\?token=[\w-]{32}", public)


def test_the_token_is_taken_once_and_kept_in_a_cookie():
    from starlette.responses import PlainTextResponse
    from starlette.testclient import TestClient

    from neraca.web.explorer_app import Key

    client = TestClient(Key(PlainTextResponse("runs"), "right"), follow_redirects=False)
    assert client.get("/").status_code == 403
    assert client.get("/?token=wrong").status_code == 403
    came = client.get("http://testserver//evil.example/?q=a&token=right")
    assert (came.status_code, came.headers["location"]) == (303, "/evil.example/?q=a")
    assert "HttpOnly" in came.headers["set-cookie"]
    assert client.get("/?q=a").text == "runs"

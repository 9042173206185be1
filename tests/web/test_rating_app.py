"""What comes in from the network: who is let in, and what everybody else gets to see."""

import json
import re
import signal
import socket
import sqlite3
from contextlib import closing

import pytest
from web.live import data_of, rating, request, send, serving, two_runs

from neraca.errors import SpecError
from neraca.web.place import Origins, Place


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rated")


@pytest.fixture(scope="module")
def server(folder):
    with serving(two_runs(folder), f"sqlite:///{folder}/log.sqlite") as started:
        yield started


def test_a_page_holds_the_tasks_and_what_its_rater_said(server):
    ana, budi = server.links["ana"], server.links["budi"]
    task = data_of(request(ana)[2])["tasks"][0]
    sent = rating(task, "note", "budi must not see this </script>")
    assert send(ana, sent) == (200, {"stored": [sent["id"]], "refused": {}, "tasks": []})
    page = request(ana)[2]
    assert data_of(page)["ratings"] == [sent]
    assert data_of(page)["sync"] == {"url": f"/r/{ana.rpartition('/')[2]}/ratings", "rater": "ana"}
    assert page.count("</script>") == 1, "what was said closes nothing"
    of_budi = request(budi)[2]
    assert data_of(of_budi)["ratings"] == []
    assert "must not see" not in of_budi
    assert "ana" not in of_budi
    assert [t["id"] for t in data_of(of_budi)["tasks"]] != [t["id"] for t in data_of(page)["tasks"]]


def test_no_name_of_a_system_goes_out(server, folder):
    for link in server.links.values():
        status, headers, body = request(link)
        shown = f"{link} {headers} {body}".casefold()
        assert status == 200
        for secret in ("zanzibar", "quokka", folder.name, "uvicorn"):
            assert secret not in shown
        assert not re.findall(r'"[de]\d"', shown), "no id of a document"


def test_every_answer_has_its_guards(server):
    pages = [request(server.links["ana"]), request(f"http://{server.host}/"), request(f"http://{server.host}/r/x")]
    for _, headers, _ in pages:
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "server" not in headers
        assert "set-cookie" not in headers
    assert "connect-src 'self'" in pages[0][1]["content-security-policy"], "the page's own policy"


@pytest.mark.parametrize(
    "path",
    ["/", "/r", "/r/", "/r/x", "/r/x/ratings", "/docs", "/openapi.json", "/r/TOKEN/", "/r/TOKEN/x", "/r/TOKE"],
)
def test_nothing_else_is_there_and_all_wrong_links_are_alike(server, path):
    token = server.links["ana"].rpartition("/")[2]
    path = path.replace("TOKEN", token).replace("TOKE", token[:-1])
    for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
        status, _, body = request(f"http://{server.host}{path}", method, b"", Origin=f"http://{server.host}")
        assert (status, body) == (404, '{"error":"not found"}')


@pytest.mark.parametrize(
    "headers, status",
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://HOST"}, 403),
        ({"Host": "evil.example"}, 400),
        ({"Host": "127.0.0.1"}, 400),
        ({"Host": "127.0.0.1.evil.example:PORT"}, 400),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Type": "application/json; charset=utf-8"}, 200),
        ({"Host": "localhost:PORT", "Origin": "http://localhost:PORT"}, 200),
    ],
)
def test_only_the_own_page_may_send(server, headers, status):
    host, _, port = server.host.rpartition(":")
    named = {name: value.replace("HOST", f"{host}:{port}").replace("PORT", port) for name, value in headers.items()}
    assert send(server.links["budi"], **named)[0] == status


def test_without_an_origin_nothing_is_taken(server):
    status, _, _ = request(f"{server.links['ana']}/ratings", "POST", b"{}", Content_Type="application/json")
    assert status == 403
    assert request(server.links["ana"], Origin="http://evil.example")[0] == 403


def test_a_body_may_not_be_large(server):
    origin = {"Origin": f"http://{server.host}", "Content_Type": "application/json"}
    assert request(f"{server.links['ana']}/ratings", "POST", b" " * 1_000_001, **origin)[0] == 413
    assert request(f"{server.links['ana']}/ratings", "POST", b" " * 999_999, **origin)[0] == 400
    path = server.links["ana"].partition(server.host)[2]
    head = f"POST {path}/ratings HTTP/1.1\r\nHost: {server.host}\r\nOrigin: http://{server.host}\r\n"
    head += "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(server.host.split(":"), timeout=10) as connection:
        connection.sendall(head.encode() + (b"10000\r\n" + b" " * 65536 + b"\r\n") * 16)
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_a_body_that_is_no_list_is_said(server):
    headers = {"Origin": f"http://{server.host}", "Content_Type": "application/json"}
    status, _, reply = request(f"{server.links['ana']}/ratings", "POST", b"{", **headers)
    assert (status, json.loads(reply)) == (400, {"error": "the body is not JSON"})


def test_two_headers_of_one_host_are_refused(server):
    path = server.links["ana"].partition(server.host)[2]
    with socket.create_connection(server.host.split(":"), timeout=10) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\nHost: evil\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_writes_the_verdicts(tmp_path, sign):
    runs = two_runs(tmp_path)
    with serving(runs, f"{tmp_path}/log.sqlite", "ana") as server:
        task = next(t for t in data_of(request(server.links["ana"])[2])["tasks"] if t.get("text") == "the same")
        send(server.links["ana"], rating(task, "quality", 4))
        told = server.end(sign)
        assert server.process.returncode == 0
    assert told.count("1 verdict added") == 2
    assert [(v.by, v.value) for run in runs for v in run.verdicts()] == [("human:ana", 4)] * 2


def test_while_the_database_does_not_take_it_nothing_counts_as_stored(tmp_path):
    with serving(two_runs(tmp_path), f"{tmp_path}/log.sqlite", "ana") as server:
        task = data_of(request(server.links["ana"])[2])["tasks"][0]
        with closing(sqlite3.connect(tmp_path / "log.sqlite")) as other:
            other.execute("ALTER TABLE ratings RENAME TO away")
            status, reply = send(server.links["ana"], rating(task, "note", "x"))
            assert (status, list(reply)) == (503, ["error"])
            assert request(server.links["ana"])[0] == 503
            other.execute("ALTER TABLE away RENAME TO ratings")
        assert send(server.links["ana"], rating(task, "note", "x"))[0] == 200


def test_the_addresses_of_a_server():
    local = Origins.of("http://127.0.0.1:8765")
    assert all(local.has_host(host) for host in ("127.0.0.1:8765", "LOCALHOST:8765", "[::1]:8765"))
    assert not any(local.has_host(host) for host in ("127.0.0.1", "127.0.0.1:80", "evil:8765", ""))
    outside = Origins.of("https://Ratings.example.org/")
    assert outside.has_host("ratings.example.org")
    assert outside.has_host("ratings.example.org:443")
    assert outside.has("https://ratings.example.org")
    assert not outside.has("http://ratings.example.org")
    assert Origins.of("http://[fe80::1]:80").has("http://[fe80::1]")


@pytest.mark.parametrize(
    "how, said",
    [
        ({"host": "0.0.0.0"}, "means all addresses of this machine; give the raters"),
        ({"url": "ratings.example.org"}, "is not an address such as"),
        ({"url": "https://h.example/sub"}, "is not an address such as"),
        ({"url": "ftp://h.example"}, "is not an address such as"),
    ],
)
def test_a_place_that_cannot_be_reached_is_refused(how, said):
    with pytest.raises(SpecError, match=said):
        Place(**how)

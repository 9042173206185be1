"""An embedding endpoint in place of the offline embedding."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from neraca.demo import embed
from neraca.demo.embed import EndpointEmbedding
from neraca.demo.listings import load
from neraca.demo.search import Search

WORDS = ["rumah", "apartemen", "ruko", "tanah", "gudang"]


def vector(text):
    return [1.0 + 9 * text.lower().count(word) for word in WORDS]


def rows(body):
    made = [{"index": number, "embedding": vector(text)} for number, text in enumerate(body["input"])]
    return 200, {"data": made[::-1]}


@contextmanager
def endpoint(answer=rows):
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, self.headers["Authorization"], body))
            status, content = answer(body)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_vectors_come_in_the_order_of_the_texts(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setattr(embed, "BATCH", 2)
    texts = ["rumah", "tanah", "gudang"]
    with endpoint() as (url, asked):
        assert EndpointEmbedding(url + "/", "words-5").embed(texts) == [vector(text) for text in texts]
    assert [body["input"] for _, _, body in asked] == [texts[:2], texts[2:]]
    assert {(path, key, body["model"]) for path, key, body in asked} == {("/v1/embeddings", "Bearer secret", "words-5")}


def test_the_index_can_be_built_with_it(tmp_path):
    with endpoint() as (url, asked):
        search = Search(tmp_path, load()[:30], EndpointEmbedding(url, "words-5"))
        best = search.index.similarities("tanah tanah tanah")
        search.close()
        built = len(asked)
        again = Search(tmp_path, load()[:30], EndpointEmbedding(url, "words-5"))
        again.close()
    kinds = {listing.id: listing.property_type for listing in load()[:30]}
    assert kinds[max(best, key=lambda key: best[key])] == "tanah"
    assert len(asked) == built


@pytest.mark.parametrize(
    "answer, problem",
    [
        (lambda body: (500, {}), "500"),
        (lambda body: (200, {"data": []}), "0 vectors for 1"),
        (lambda body: (200, {"error": "no"}), "data"),
        (lambda body: (200, []), "indices"),
    ],
)
def test_a_wrong_answer_is_a_connection_error(answer, problem):
    with endpoint(answer) as (url, _), pytest.raises(ConnectionError, match=problem):
        EndpointEmbedding(url, "words-5").embed(["rumah"])


def test_nobody_there():
    with endpoint() as (url, _):
        pass
    with pytest.raises(ConnectionError, match="embeddings from"):
        EndpointEmbedding(url, "words-5").embed(["rumah"])


def test_the_offline_embedding_applies_what_scikit_learn_learnt(tmp_path):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    texts = [listing.text() for listing in load()[:60]]
    local = embed.LocalEmbedding()
    local.fit(texts, tmp_path)
    words = TfidfVectorizer(analyzer=embed.ngrams, sublinear_tf=True, min_df=2)
    svd = TruncatedSVD(59, random_state=0)
    svd.fit(words.fit_transform(texts))
    questions = ["rumah dekat kampus", "gudang gudang di Sunggal"]
    expected = normalize(svd.transform(words.transform(questions)))
    assert local.embed(questions) == [pytest.approx(row, abs=1e-9) for row in expected.tolist()]
    assert set(local.embed(["", "1234 ???"])[0]) == {0.0}

"""What is read of folders and tables of documents, and what is said to be lost."""

import io

import pytest

from neraca.errors import InputError
from neraca.generation.documents import read_documents


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        stem, _, ending = path.name.rpartition("_")
        path = path.with_name(f"{stem}.{ending}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def parts(documents):
    return [(document.id, document.section, document.text) for document in documents]


def losses(documents):
    return dict(documents.losses)


def test_markdown_is_split_by_its_headings_and_not_by_marks_in_code(tmp_path):
    text = """Before.

# Paying

By `card`.

```sh
# not a heading
```

Late fees
---------

Five euros.

# Refunds

## Late fees

None.
"""
    documents = read_documents(write(tmp_path, pay_md=text))
    assert parts(documents) == [
        ("pay.md", "", "Before."),
        ("pay.md#paying", "Paying", "By `card`.\n\n```sh\n# not a heading\n```"),
        ("pay.md#late-fees", "Paying > Late fees", "Five euros."),
        ("pay.md#late-fees-1", "Refunds > Late fees", "None."),
    ]
    assert {document.title for document in documents} == {"Paying"}
    assert {document.source for document in documents} == {"pay.md"}


def test_a_file_with_one_section_has_the_name_of_the_file_and_front_matter_is_no_text(tmp_path):
    documents = read_documents(write(tmp_path, faq__dogs_md='---\ntitle: "Pets"\ntags: x\n---\n# Dogs\n\nWelcome.\n'))
    assert parts(documents) == [("faq/dogs.md", "Dogs", "Welcome.")]
    assert documents.documents[0].title == "Pets"


def test_sections_can_stay_together(tmp_path):
    (document,) = read_documents(write(tmp_path, a_md="# One\n\nFirst.\n\n## Two\n\nSecond.\n"), by_section=False)
    assert (document.id, document.text) == ("a.md", "One\nFirst.\n\nTwo\nSecond.")


def test_a_page_is_what_a_reader_sees(tmp_path):
    pytest.importorskip("lxml")
    page = """<!doctype html><html><head><title> Opening
    hours </title><style>p {color: red}</style></head><body><nav>Home | Shop</nav>
    <header><h1>Opening <em>hours</em></h1></header><p>We are open<br>from nine
    to five.</p><!-- closed --> Always.<script>alert(1)</script><h2>Holidays</h2>
    <table><tr><td>Eid</td><td>closed</td></tr></table><footer>Imprint</footer></body></html>"""
    documents = read_documents(write(tmp_path, hours_html=page))
    assert parts(documents) == [
        ("hours.html#opening-hours", "Opening hours", "We are open\nfrom nine to five.\nAlways."),
        ("hours.html#holidays", "Opening hours > Holidays", "Eid closed"),
    ]
    assert documents.documents[0].title == "Opening hours"


def test_a_page_is_read_in_the_encoding_that_it_says(tmp_path):
    pytest.importorskip("lxml")
    latin = '<meta charset="iso-8859-1"><p>Señor</p>'.encode("latin-1")
    documents = read_documents(write(tmp_path, a_html=latin, b_html="<p>Señor</p>", c_html="<p>é</p>".encode("cp1252")))
    assert [document.text for document in documents] == ["Señor", "Señor"]
    assert losses(documents)["c.html"].startswith("not UTF-8, and the page does not say its encoding")


def test_what_is_not_read_is_said(tmp_path):
    documents = read_documents(
        write(tmp_path, a_txt="Fine.", b_txt=" \n", c_txt="caf\xe9 au lait".encode("latin-1"), d_docx="", e_docx="")
    )
    assert [document.id for document in documents] == ["a.txt"]
    assert losses(documents)["b.txt"] == "it has no text"
    assert losses(documents)["c.txt"].startswith("line 1: byte 4 (0xe9) is not UTF-8")
    assert losses(documents)["*.docx"] == "files of this kind are not read: 2"


def test_hidden_files_are_not_read_and_nothing_is_said_of_them(tmp_path):
    documents = read_documents(write(tmp_path, a_txt="Fine.", _cache_txt="no", **{".git__a_txt": "no"}))
    assert [document.source for document in documents] == ["_cache.txt", "a.txt"]
    assert not documents.losses


def pdf(*pages):
    """Return a PDF with a line of text on each page; a page without text for ""."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() if text else b""
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>"
            % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    file, places = io.BytesIO(), []
    file.write(b"%PDF-1.4\n")
    for number, body in enumerate(objects, 1):
        places.append(file.tell())
        file.write(b"%d 0 obj%s\nendobj\n" % (number, body))
    start = file.tell()
    file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    file.writelines(b"%010d 00000 n \n" % place for place in places)
    file.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start))
    return file.getvalue()


def test_each_page_of_a_pdf_is_a_document_and_scanned_pages_are_said(tmp_path):
    pytest.importorskip("pypdf")
    documents = read_documents(
        write(tmp_path, rules_pdf=pdf("Pay by card.", "", "", "No dogs.", ""), broken_pdf=b"%PDF-1.4 nothing")
    )
    assert parts(documents) == [
        ("rules.pdf#page=1", "page 1", "Pay by card."),
        ("rules.pdf#page=4", "page 4", "No dogs."),
    ]
    assert losses(documents)["rules.pdf"] == "pages without text, as scanned ones: 2-3, 5 of 5"
    assert losses(documents)["broken.pdf"].startswith("cannot be read as PDF")


def test_a_beir_folder_and_a_table_keep_their_ids(tmp_path):
    write(tmp_path, corpus_jsonl='{"_id": "d1", "title": "T", "text": "One."}\n{"_id": "d2", "text": ""}\n')
    documents = read_documents(tmp_path)
    assert parts(documents) == [("d1", "", "One.")]
    assert documents.documents[0].title == "T"
    assert losses(documents) == {"corpus.jsonl": "rows without text: 1"}
    table = tmp_path / "faq.csv"
    table.write_text("doc_id,text\na,One.\na,Two.\nb,Three.\n")
    documents = read_documents(table)
    assert parts(documents) == [("a", "", "One."), ("b", "", "Three.")]
    assert losses(documents) == {"faq.csv": "rows with the id of an earlier row: 1"}


def test_a_source_without_text_is_an_error_that_says_why(tmp_path):
    with pytest.raises(InputError, match=r"no document in it \(a.txt: it has no text\); put texts there"):
        read_documents(write(tmp_path / "folder", a_txt=""))
    with pytest.raises(InputError, match="no such file or folder"):
        read_documents(tmp_path / "nowhere")
    with pytest.raises(InputError, match="only a table has columns"):
        read_documents(tmp_path / "folder", text_column="x")

"""Columns with nearly the name of a check or a constraint are named before anything is asked."""

from neraca import read_dataset
from neraca.datasets.misspelt import misspelt


def test_misspelt_bounds_and_checks_come_first_and_the_attribute_beside_them_is_said_not_to_be_read(tmp_path):
    (tmp_path / "q.csv").write_text("query,Harga Maksimun,Kamar Minum,Harapn,Lokasi,must_contian\na,5,2,ada,Bogor,x\n")
    assert read_dataset(tmp_path / "q.csv").column_notes == [
        "Harga Maksimun is not read as a constraint; did you mean harga maksimum?",
        "Kamar Minum is not read as a constraint; did you mean kamar minimum?",
        "must_contian is not read as a check of answers; did you mean must_contain?",
        "columns not used: Harga Maksimun, Kamar Minum, Harapn, Lokasi, must_contian; did you mean expects for Harapn?",
        "Lokasi is not read as a constraint, because no other column is one; if it is one: "
        '--column "constraint:location.equals=Lokasi"',
    ]


def test_other_names_and_names_that_another_column_has_are_not_guessed():
    usual = ["note", "kamar mandi", "contents", "region", "Lokasi", "price", "prices", "harga total", "words", "max"]
    assert misspelt(usual, []) == []
    assert misspelt(["price_mid"], ["Price Min"]) == []
    assert misspelt(["Harga Maksimun"], [], constraints=False) == []

from judged_answers import ANA, judged, value, verdict_on, why


def test_the_verdict_is_the_value():
    assert value("Similarity", judged(similarity=0.37)) == 0.37
    assert value("Similarity", judged(similarity=-0.2)) == -0.2
    assert value("Similarity", judged(similarity=0.37), verdict_on("answer", "similarity", 1, by=ANA)) == 1


def test_where_there_is_none():
    assert why("Similarity", judged()) == "nobody judged it: similarity"
    assert why("Similarity", judged(similarity=0.3), item={"references": (" ",)}) == "the item has no reference"
    assert why("Similarity", judged(), item={"references": ()}, answer={"status": "error"})
    assert value("Similarity", judged(), answer={"status": "error"}) == 0

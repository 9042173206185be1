"""Find columns that are not read because their names are only nearly those of a check or of a constraint."""

from __future__ import annotations

from collections.abc import Iterable

from neraca.datasets.columns import fold
from neraca.datasets.constraint_columns import bound_headings, recognise_constraint
from neraca.datasets.expectations import check_names
from neraca.translation import say

#: The least share of common letters of two names that may be meant for one another.
ALIKE = 0.85


def misspelt(unused: Iterable[str], columns: Iterable[str], constraints: bool = True) -> list[str]:
    """Say which unused columns may be meant as a check or, if these are read, as a bound of a constraint.

    A name that another column of the table has is not proposed, nor one that begins and ends with other letters.

    >>> misspelt(["must_contian", "Harga Maksimun", "note"], [])
    ['must_contian is not read as a check of answers; did you mean must_contain?', \
'Harga Maksimun is not read as a constraint; did you mean harga maksimum?']
    """
    import difflib  # slow to import

    present = set(map(fold, columns))
    as_check = "{column} is not read as a check of answers; did you mean {name}?"
    as_constraint = "{column} is not read as a constraint; did you mean {name}?"
    kinds = [(as_check, check_names()), *([(as_constraint, bound_headings())] if constraints else [])]
    sentences = []
    for column in unused:
        if recognise_constraint(column):
            continue
        name = fold(column)
        for template, names in kinds:
            similar = [other for other in names if other[:2] == name[:2] or other[-2:] == name[-2:]]
            (near,) = difflib.get_close_matches(name, similar, n=1, cutoff=ALIKE) or [""]
            if near and near not in present:
                sentences.append(say(template, column=column, name=names[near]))
                break
    return sentences

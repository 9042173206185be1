"""Ranking metrics of one answer, written slowly from the textbook definitions: what the fast ones are held to.

`hits` are the grades of the returned hits, best rank first: None, or -1, where nobody judged the hit, AGAIN where its
document stood higher already.  `pool` are the grades of all judged documents of the question, returned or not, in any
order.
NaN: not defined.
"""

import math

AGAIN = -math.inf
UNJUDGED = (None, -1)
NAN = math.nan


def relevant(grade, rel=1):
    return grade is not None and grade >= rel


def wrong(grade, rel=1):
    """Judged not relevant; a negative grade is no judgement to Bpref and InfAP."""
    return grade is not None and 0 <= grade < rel


def gain(grade, gains="linear"):
    if grade is None or grade < 0:
        return 0.0
    return float(grade) if gains == "linear" else 2.0**grade - 1


def first(hits, k):
    return hits[:k] if k else hits


def relevant_among(hits, k=0, rel=1):
    """How many of the first k hits are relevant."""
    return sum(relevant(grade, rel) for grade in first(hits, k))


def relevant_known(pool, rel=1):
    return relevant_among(pool, rel=rel)


def precision(hits, k, rel=1):
    return relevant_among(hits, k, rel) / k


def precision_of_returned(hits, k, rel=1):
    return relevant_among(hits, k, rel) / len(first(hits, k)) if hits else NAN


def recall(hits, pool, k=0, rel=1, nothing=0.0):
    return relevant_among(hits, k, rel) / relevant_known(pool, rel) if relevant_known(pool, rel) else nothing


def r_precision(hits, pool, rel=1):
    return precision(hits, relevant_known(pool, rel), rel) if relevant_known(pool, rel) else 0.0


def reciprocal_rank(hits, k=0, rel=1):
    ranks = [rank for rank, grade in enumerate(first(hits, k), start=1) if relevant(grade, rel)]
    return 1 / min(ranks) if ranks else 0.0


def average_precision(hits, whole, k=0, rel=1):
    """`whole`: what the sum is divided by."""
    ranks = [rank for rank, grade in enumerate(first(hits, k), start=1) if relevant(grade, rel)]
    return sum(precision(hits, rank, rel) for rank in ranks) / whole if whole else 0.0


def dcg(hits, k=0, gains="linear", discount="log2"):
    total = 0.0
    for rank, grade in enumerate(first(hits, k), start=1):
        if discount == "jk":
            total += gain(grade, gains) / (math.log2(rank) if rank > 1 else 1)
        else:
            total += gain(grade, gains) / math.log2(rank + 1)
    return total


def ndcg(hits, pool, k=0, gains="linear", discount="log2"):
    best = dcg(sorted(pool, reverse=True), k, gains, discount)
    return dcg(hits, k, gains, discount) / best if best else 0.0


def success(hits, pool, k=0, rel=1):
    """To return nothing where nothing is to be found is one."""
    nothing_to_find = all(grade <= 0 for grade in pool)
    return float(relevant_among(hits, k, rel) > 0 or (not hits and nothing_to_find))


def set_f(hits, pool, beta=1, rel=1):
    if not hits and not relevant_known(pool, rel):
        return NAN
    if not relevant_among(hits, rel=rel):
        return 0.0
    p, r = precision_of_returned(hits, 0, rel), recall(hits, pool, 0, rel)
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def judged(hits, k=0, of="returned"):
    seen = first(hits, k)
    whole = k if of == "k" else len(seen)
    return sum(grade not in UNJUDGED for grade in seen) / whole if whole else NAN


def expected_reciprocal_rank(hits, top, k=0):
    satisfied = [gain(grade, "exp") / 2**top for grade in first(hits, k)]
    return sum(
        chance * math.prod(1 - above for above in satisfied[: rank - 1]) / rank
        for rank, chance in enumerate(satisfied, start=1)
    )


def binary_preference(hits, pool, rel=1):
    whole, others = relevant_known(pool, rel), sum(wrong(grade, rel) for grade in pool)
    total = 0.0
    for place, grade in enumerate(hits):
        if relevant(grade, rel):
            above = sum(wrong(other, rel) for other in hits[:place])
            total += 1 - min(above, whole) / min(others, whole) if above else 1
    return total / whole if whole else 0.0


def inferred_average_precision(hits, pool, rel=1, epsilon=0.00001):
    total = 0.0
    for place, grade in enumerate(hits):
        if not relevant(grade, rel):
            continue
        if place == 0:
            total += 1
            continue
        above = [other for other in hits[:place] if other is not None and other != AGAIN]
        share_in_pool = len(above) / place
        good, bad = relevant_among(above, rel=rel), sum(wrong(other, rel) for other in above)
        share_of_judged = (good + epsilon) / (good + bad + 2 * epsilon)
        rank = place + 1
        total += 1 / rank + place / rank * share_in_pool * share_of_judged
    return total / relevant_known(pool, rel) if relevant_known(pool, rel) else 0.0


def overlap(one, other, depth, p):
    """Rank-biased overlap down to a depth, not divided by anything."""
    return sum(p ** (d - 1) * len({*one[:d]} & {*other[:d]}) / d for d in range(1, depth + 1))


def compatibility(hits, pool, p=0.95, k=0):
    unseen = sorted(pool)
    for grade in hits:
        if grade not in (None, AGAIN):
            unseen.remove(grade)
    grades = dict(enumerate([*hits, *unseen]))  # a document is called as its rank, what was not returned comes after
    ideal = sorted(
        (doc for doc, grade in grades.items() if grade is not None and grade > 0), key=lambda doc: (-grades[doc], doc)
    )
    depth = k or max(len(hits), len(ideal))
    best = overlap(ideal, ideal, depth, p)
    return overlap(range(len(hits)), ideal, depth, p) / best if best else 0.0


def rank_biased_precision(hits, top, p=0.8, k=0, rel=0):
    """Gains are grades over the largest one, or with `rel` 0 or 1."""
    worth = [float(relevant(grade, rel)) if rel else gain(grade) / top for grade in first(hits, k)]
    return (1 - p) * sum(p ** (rank - 1) * value for rank, value in enumerate(worth, start=1))


def interpolated_precision(hits, pool, x, rel=1):
    whole = relevant_known(pool, rel)
    if not whole:
        return 0.0
    ranks = [k for k in range(1, len(hits) + 1) if relevant_among(hits, k, rel) / whole >= x - 1e-9]
    return max((precision(hits, k, rel) for k in ranks), default=0.0)


def interpolated_average(hits, pool, points, rel=1):
    return sum(interpolated_precision(hits, pool, point / (points - 1), rel) for point in range(points)) / points


def preferences(hits, pool, of):
    """A document is preferred to each of a lower grade; those that were not returned stand below all that were."""
    returned = [grade for grade in hits if grade not in (*UNJUDGED, AGAIN)]
    pool = [grade for grade in pool if grade not in UNJUDGED]
    others = list(pool)
    for grade in returned:
        others.remove(grade)
    documents = [(grade, place) for place, grade in enumerate(returned)] + [(grade, math.inf) for grade in others]
    respected = compared = 0
    for better, place in documents:
        for worse, other in documents:
            unseen = (place == math.inf) + (other == math.inf)
            if better > worse and unseen <= {"all": 2, "either": 1, "both": 0}[of]:
                compared += 1
                respected += place < other
    return respected / compared if compared else 0.0


def condensed(hits):
    return [grade for grade in hits if grade not in UNJUDGED]

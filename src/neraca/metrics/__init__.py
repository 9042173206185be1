"""Pure functions of answers and verdicts.  A file that is here is registered."""

#: In which file each metric is, so that one can be used without reading all the others.
HOME = {
    "AP": "ranking.average_precision",
    "Coverage": "ranking.outcome",
    "DCG": "ranking.ndcg",
    "P": "ranking.precision",
    "PassRate": "verdicts.pass_ratio",
    "PassRatio": "verdicts.pass_ratio",
    "QueryAccuracy": "verdicts.query_success",
    "QueryF1": "verdicts.query_success",
    "QueryPrecision": "verdicts.query_success",
    "QueryRecall": "verdicts.query_success",
    "QuerySuccess": "verdicts.query_success",
    "RR": "ranking.reciprocal_rank",
    "SetP": "ranking.sets",
    "SetR": "ranking.sets",
    "StrictPass": "verdicts.pass_ratio",
    "Success": "ranking.outcome",
    "nDCG": "ranking.ndcg",
}

"""The measures and the output of trec_eval."""

"""Read TREC's qrels, runs and topics, and find the judged documents of a run in a file, a mapping or a data frame."""

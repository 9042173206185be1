"""TREC's files: qrels, runs and topics, and the judged documents of a run, whatever holds it."""

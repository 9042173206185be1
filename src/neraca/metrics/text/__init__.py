"""Metrics of texts: answers beside references, word by word."""

"""Sentences of a report, each made from numbers."""

"""Metrics of constraint verdicts: whether hits are what the question asks for."""

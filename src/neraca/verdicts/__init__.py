"""Verdicts of people, files and judges: which of them count."""

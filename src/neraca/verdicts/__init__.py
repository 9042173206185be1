"""Whose word counts: which verdicts hold of those that people, files and judges gave."""

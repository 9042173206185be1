"""Interleaving: show the results of two or more rankers in one list, and compare the rankers by the clicks on it."""

"""Interleaving: results of two or more rankers in one list, and what clicks on it say about the rankers."""

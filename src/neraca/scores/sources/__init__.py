"""Scorables made of runs, TREC files, texts and ready values."""

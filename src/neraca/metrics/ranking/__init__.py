"""Metrics of ranked hits."""

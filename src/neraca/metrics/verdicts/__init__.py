"""Metrics of what judges and people decided."""

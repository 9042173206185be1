"""Metrics of what judges and people decided about answers, claims and contexts."""

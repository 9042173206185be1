"""Metrics of numbers that were computed elsewhere."""

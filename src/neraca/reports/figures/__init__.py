"""Drawings of a report, as SVG."""

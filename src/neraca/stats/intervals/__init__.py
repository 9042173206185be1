"""Intervals of means, shares, differences and effects."""

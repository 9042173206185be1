"""Runs: one target's answers to one dataset, kept in a folder that survives a kill."""

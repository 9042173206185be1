"""Metrics of a system's actions: tool calls, goals reached, results of SQL."""

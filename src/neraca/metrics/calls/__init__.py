"""Metrics of what a system does beside answering: the tools that it calls, the goal, the results of its SQL."""

"""Runs made of traces: what a system in production recorded of its calls becomes questions with answers."""

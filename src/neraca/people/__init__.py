"""Verdicts from people: what they are shown, what they say, and how it becomes verdicts `by human:NAME`."""

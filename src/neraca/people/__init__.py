"""Verdicts from people: the tasks they see, the ratings they give, and the verdicts `by human:NAME` that follow."""

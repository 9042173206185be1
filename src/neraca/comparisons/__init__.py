"""Is the difference real: two runs, many runs, a margin, a gate, and how many questions it takes to know."""

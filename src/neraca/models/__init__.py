"""Models that judge and embed: one session for all calls, which keeps, limits, counts and pays them."""

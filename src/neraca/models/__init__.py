"""Models that judge and embed: one account for all calls, which keeps, limits, counts and pays them."""

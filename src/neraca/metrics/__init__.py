"""Pure functions of answers and verdicts.  A file that is here is registered."""

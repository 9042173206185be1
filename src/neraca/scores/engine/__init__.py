"""Rows without end: units of work, what is done with one, and what does them, on this machine or on many."""

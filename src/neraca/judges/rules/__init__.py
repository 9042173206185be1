"""Judges that need no model: constraints, numbers and phrases."""

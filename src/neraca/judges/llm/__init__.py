"""Judges that ask a language model, and their prompts."""

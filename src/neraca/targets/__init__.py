"""Systems under test: a Python function, an HTTP service, recorded answers, a process."""

"""Questions, and what good answers are: read from the files that people have."""

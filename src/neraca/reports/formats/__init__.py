"""The files that a report is written as: HTML, Markdown, LaTeX, Word, JSON and tables."""

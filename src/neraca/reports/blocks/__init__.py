"""Parts of a report: tables and lists of questions."""

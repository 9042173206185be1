"""Programs that write verdicts."""

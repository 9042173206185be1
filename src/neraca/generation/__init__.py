"""Questions made from records, with right answers that are exact because they were looked up."""

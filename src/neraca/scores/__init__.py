"""Numbers over many items: scores, groups, comparisons, confusion matrices."""

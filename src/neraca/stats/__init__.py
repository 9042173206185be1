"""Statistics of evaluation: arrays in, numbers out.  This room knows no records."""

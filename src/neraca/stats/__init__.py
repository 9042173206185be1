"""Statistics of evaluation: arrays in, numbers out, without records."""

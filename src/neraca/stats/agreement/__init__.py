"""Agreement and correlation of raters, judges and metrics."""

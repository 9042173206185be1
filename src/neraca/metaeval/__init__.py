"""Numbers about the numbers: whether judges agree, which metrics say the same, whether scores would repeat."""

"""Power and sample size."""

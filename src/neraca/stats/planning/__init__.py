"""Power and sample size: how much data an answer needs."""

"""Reports of A/B tests, interleaving and click models."""

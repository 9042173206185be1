"""Statistical tests of differences between systems or arms."""

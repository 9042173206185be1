"""Online evaluation: read the log of a live system, group its events into searches, and analyse what users did."""

"""The demonstration of online experiments: a live search service and simulated users who click."""

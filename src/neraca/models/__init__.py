"""Chat and embedding models: one session caches, limits and counts all calls, and keeps their cost within a budget."""

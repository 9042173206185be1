"""The judge of SQL: runs queries and compares their results."""

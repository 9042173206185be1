"""What people are asked, and what they say: which documents to judge."""

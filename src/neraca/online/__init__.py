"""What users did: events of a live system, the searches they make up, and what follows from them."""

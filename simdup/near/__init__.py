"""From sources to documents, pairs and clusters: which documents are near which."""

"""Write results: as text, CSV, JSONL and a page."""

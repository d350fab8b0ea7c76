"""Write results as text, CSV and JSONL."""

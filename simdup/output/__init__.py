"""Results as text, CSV and JSONL."""

"""The operations of simdup, one per file; commands and Python users call the same functions."""

"""Slow definitions of what simdup computes fast."""

"""The exact measures on candidate pairs."""

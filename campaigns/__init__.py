"""Campaigns: long runs that try to break simdup and count what they tried.

The suite runs a small part of each; ``python -m campaigns NAME`` runs it in full and writes its
figures to `results/NAME.json`, from where they go into `docs/testing.md`.
"""

"""Compute exact measures of candidate pairs, and find the groups."""

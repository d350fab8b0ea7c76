"""Measure how good results are."""

"""Texts and files for tests, benchmarks and campaigns: real ones, and made ones."""

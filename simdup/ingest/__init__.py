"""From sources to a counted corpus."""

"""Turn sources into a counted corpus."""

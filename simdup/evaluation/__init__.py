"""How good answers are."""

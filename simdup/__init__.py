"""simdup: near-duplicate texts, found, verified and explained."""

__version__ = "0.1.0"

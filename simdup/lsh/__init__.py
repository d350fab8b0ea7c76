"""The locality-sensitive families: arrays in, arrays out."""

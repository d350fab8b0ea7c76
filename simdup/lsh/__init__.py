"""Locality-sensitive families: arrays in, arrays out."""

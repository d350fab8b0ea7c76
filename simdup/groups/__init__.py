"""Clusters, and which document of each to keep."""

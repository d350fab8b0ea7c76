"""From pairs to clusters, and which document of each to keep."""

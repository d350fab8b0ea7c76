"""From texts to weighted terms."""

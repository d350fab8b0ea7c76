"""Turn texts into weighted terms."""

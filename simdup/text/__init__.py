"""Turn texts into weighted terms, fingerprints and band keys."""

"""From term counts to fingerprints and band keys."""

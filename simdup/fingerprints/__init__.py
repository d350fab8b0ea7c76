"""From term counts to fingerprints, their neighbours, and band keys."""

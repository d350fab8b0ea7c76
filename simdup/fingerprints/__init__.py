"""Turn term counts into fingerprints and band keys, and find near fingerprints."""

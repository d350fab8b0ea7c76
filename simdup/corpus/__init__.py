"""Where documents come from: walking, decoding, records, fingerprint lines."""

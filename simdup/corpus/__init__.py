"""From bytes to documents: walking, decoding, records, HTML, fingerprint lines."""

"""Turn bytes into documents: folders, encodings, records, HTML, fingerprint lines."""

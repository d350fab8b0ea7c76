"""Turn pairs into clusters, and choose the document to keep."""

"""Campaigns: long runs that try to break simdup, and count what they tried."""

"""The values that travel between the rooms: frozen, small, one file per subject."""

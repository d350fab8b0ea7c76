"""All pairs within a distance; arrays only."""

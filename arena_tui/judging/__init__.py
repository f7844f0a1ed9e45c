"""Judges: whatever compares two texts."""

"""What people and scripts read of a run: plain lines, JSON, tables."""

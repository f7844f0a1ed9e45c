"""arena: tournaments of ideas, ranked by judges you choose."""

__version__ = "0.1.0"

"""The asyncio engine that runs a tournament over a pure core."""

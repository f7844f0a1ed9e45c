"""Language models behind one protocol: adapters over the vendors' SDKs, retries, limits, prices, cache."""

"""`arena bench`: every format at equal calls, through the real formats and the real window."""

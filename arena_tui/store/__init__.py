"""The run's database: one writer, many readers, and what lies beside it (lock, inbox)."""

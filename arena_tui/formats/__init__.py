"""Tournament formats: pure state machines over `formats.base.Format`."""

"""Pure rating maths. Imports nothing of ours."""

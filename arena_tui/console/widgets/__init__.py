"""The panes: each is a product of its own, with its CSS, keys, messages and help."""

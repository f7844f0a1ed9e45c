"""What the console drives: the installation and its runs behind the protocols of `console.ports`.

Knows no widgets. Its modules import what loads slowly (pydantic, numpy) inside the functions that need it,
for the console's first frame waits for nothing; those functions run in threads.
"""

"""The commands of `arena`, one module a family; each is imported when it is called."""

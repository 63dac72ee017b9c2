"""The store: an interface with a written contract, and the backends that keep it."""

"""The Hermes side: the plugin inside Hermes, the sidecar beside it, and what installs and checks them.

Importing this package loads nothing but itself, because the plugin must run with the standard library alone.
"""

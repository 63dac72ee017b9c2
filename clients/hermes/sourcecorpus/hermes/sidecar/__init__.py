"""The sidecar: one process per user that redacts what Hermes' plugins hand over, keeps it, and streams it on.

It also answers the plugin's commands and agent tools. Hermes may die at any moment; so may this.
"""

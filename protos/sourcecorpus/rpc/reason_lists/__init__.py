"""The documented reasons, by what they are about. Add a reason here, then write docs/errors.md anew."""

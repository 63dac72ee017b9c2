"""Thin gRPC servicers: they read messages, call the intake, and write messages."""

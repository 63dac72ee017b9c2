"""The gRPC surface: thin servicers that translate, call a use case, and translate back."""

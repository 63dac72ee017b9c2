"""Use cases: what callers can do, over the storage interface. They know no protobuf and no engine."""

"""Server interceptors, outermost first: errors, request ids, telemetry, access, concurrency, deadlines."""

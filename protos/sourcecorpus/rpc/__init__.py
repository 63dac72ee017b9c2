"""What both services and their clients share about RPC: limits, errors, channels, servers."""

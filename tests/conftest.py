"""What holds for every test: hypothesis is deterministic, gRPC's asyncio side stays up."""

import grpc
from hypothesis import settings

# A deadline measures the machine's load, and a random seed makes a red run that nobody can repeat.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

# gRPC ends its poller when the last asyncio object is collected, and joins a thread for it from whichever thread
# collects; between two tests that can wait for ever. One reference for the whole run keeps the poller up.
grpc.aio.init_grpc_aio()

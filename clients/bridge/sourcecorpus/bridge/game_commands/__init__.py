"""Game commands: JSON objects of a bridge, checked against their schema and carried out as gRPC calls."""

from sourcecorpus.bridge.game_commands.checking import CommandRefused, check_command
from sourcecorpus.bridge.game_commands.handler import GameCommands

__all__ = ["CommandRefused", "GameCommands", "check_command"]

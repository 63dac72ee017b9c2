"""The corpus service: owns all storage and all reading."""

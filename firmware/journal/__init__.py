"""The session log, its evidence pictures, export and verification."""

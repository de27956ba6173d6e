"""Databases: begin, run by name, end, map errors. What an operation means is not here."""

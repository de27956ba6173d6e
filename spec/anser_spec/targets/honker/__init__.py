"""The published honker as a target: a process of its own, spoken to in JSON lines."""

"""Programs that hold another build behind a protocol of JSON lines, each run in a process of its own.

They import nothing of Anser, nor of this specification but each other: so one process has one SQLite.
"""

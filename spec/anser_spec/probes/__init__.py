"""Programs for the defects that neither a step nor a case can show: each does what the entry says, and looks.

One module a build, a function an entry: `e05(path)` gets a fresh path, and answers what went wrong, or None. A probe
runs in a process of its own, since honker's carries an SQLite of its own, and some break the process that they are in:

    python -m anser_spec.probes.on_honker E05 fresh.db

The modules of other builds import nothing of `anser`.
"""

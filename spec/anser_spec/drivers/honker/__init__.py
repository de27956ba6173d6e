"""The real honker behind JSON-RPC 2.0, one object a line on stdin and stdout: `python -m anser_spec.drivers.honker`.

Run it with a folder that holds honker in its PYTHONPATH. `driver` holds the rows and moves the time, `rows` puts rows
into a file and takes them back, `calls` does one operation; which tables and operations there are is told by
`families`, a module each.
"""

"""The rules of a durable job queue, their cases, and the instruments that hold a target against them."""

__all__ = ()

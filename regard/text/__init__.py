"""Text in, numbers out; no torch in this room."""

"""Fast twins of plain parts: the same numbers, sooner."""

"""What can be seen of one output: `inspection` holds it, the other files are ways to look at it."""

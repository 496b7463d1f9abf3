"""Parts wired together."""

"""Parts: flat arguments, one device, no vocabulary. Nothing is imported here, so that settings cost no torch."""

"""A run: settings and pairs in, a run directory and a model out. `conduct` does it; settings here import no torch."""

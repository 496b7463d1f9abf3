"""How good outputs are: every function takes what was said and what was right, and gives a `Measure`."""

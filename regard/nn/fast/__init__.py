"""Fast twins of plain parts: the same numbers, forward and backward, with less work.

A recurrence under autograd records every small operation and computes the gradient of each weight once a step. Here the
backward pass is written by hand: what does not depend on the state is one product before the loop, all that reads the
state is one product a step, and the gradient of each weight is one product after the loop.

Steps come first in all buffers (TBD), so that a step is one piece of memory.
"""

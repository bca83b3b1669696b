"""The threat scan: what may not be kept because it would reach a prompt. Pure, and a leaf of `memory`."""

"""Triton kernels that compiled parts call on NVIDIA GPUs, one a file, and how to launch them."""

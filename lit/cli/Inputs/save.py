"""Write a small exported program."""

import sys

import torch

torch.export.save(torch.export.export(torch.nn.ReLU(), (torch.ones(3),)), sys.argv[1])

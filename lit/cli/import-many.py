# RUN: %python %s 2>&1 | filecheck %s
"""`myjit import` at each stage, and its mistakes; in one process, since each would import torch."""

import sys

from myjit.cli import main


def run(*words):
    print("==", *words, flush=True)
    code = main(["import", *words])
    sys.stdout.flush()
    print("exit code", code, flush=True)


# CHECK: == torch:relu --input f32[2] --stop fx
# CHECK: torch.ops.aten.relu.default
run("torch:relu", "--input", "f32[2]", "--stop", "fx")
# CHECK: == torch:add {{.*}} --stop linalg
# CHECK: func.func @main({{.*}}tensor<?x8xf32>{{.*}}tensor<?x8xf32>
# CHECK: linalg.generic
run("torch:add", "--input", "f32[b,8]", "--input", "f32[b,8]", "--stop", "linalg")
# CHECK: --stop torch-backend
# CHECK: torch.aten.sigmoid
run("torch.nn:SiLU", "--input", "f32[2]", "--stop", "torch-backend")
# CHECK: --pipeline fused --stop raise
# CHECK: fused.silu
run("torch.nn:SiLU", "--input", "f32[2]", "--pipeline", "fused", "--stop", "raise")
# CHECK: --stop iree
# CHECK: !hal.buffer {iree.abi.output = 0 : index}
run("torch:relu", "--input", "f32[2]", "--stop", "iree")

# CHECK: error: torch has no 'relux'. Did you mean 'relu'?
# CHECK-NEXT: exit code 2
run("torch:relux", "--input", "f32[2]")
# CHECK: error: cannot import 'no_such_module'
# CHECK-NEXT: exit code 2
run("no_such_module:f")
# CHECK: error: cannot read the input 'q9[2]': write f32[2,8], with one of f16
# CHECK-NEXT: exit code 2
run("torch:relu", "--input", "q9[2]")
# CHECK: error: cannot read the input 'f32[-1]'
# CHECK-NEXT: exit code 2
run("torch:relu", "--input", "f32[-1]")
# CHECK: error: no such file: nothing.pt2
# CHECK-NEXT: exit code 2
run("nothing.pt2")
# CHECK: error: 'model' is neither MODULE:NAME nor a file that ends in .pt2
# CHECK-NEXT: exit code 2
run("model")
# CHECK: error: [import] torch.export refuses torch:mm
# CHECK: exit code 7
run("torch:mm", "--input", "f32[2,3]", "--input", "f32[2,3]")
# CHECK: error: pipeline 'cpu' has no stage 'linalk'. Did you mean 'linalg'?
# CHECK: exit code 2
run("torch:relu", "--input", "f32[2]", "--stop", "linalk")

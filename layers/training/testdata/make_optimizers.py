"""Writes optimizers.json: what PyTorch's optimizers do to five weights in twelve steps.

    python3 layers/training/testdata/make_optimizers.py

Gradients are those of a quartic valley plus a part that changes sign from step to step; they are
computed from PyTorch's own weights and written down, so that a test needs no function of its own.
"""

import json
import pathlib

import torch

STEPS = 12
START = [0.5, -1.25, 2.0, 1e-3, -3.0]
RATE = 0.05

# Name in the file, PyTorch's class, its options beside the learning rate.
CONFIGURATIONS = [
    ("sgd", "SGD", {}),
    ("sgd_decay", "SGD", {"weight_decay": 0.1}),
    ("sgd_momentum", "SGD", {"momentum": 0.9}),
    ("sgd_nesterov", "SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("adam", "Adam", {}),
    ("adam_decay", "Adam", {"betas": (0.8, 0.99), "eps": 1e-4, "weight_decay": 0.1}),
    ("adamw", "AdamW", {}),
    ("adamw_decay", "AdamW", {"betas": (0.8, 0.99), "weight_decay": 0.2}),
    ("rmsprop", "RMSprop", {}),
    ("rmsprop_momentum", "RMSprop", {"alpha": 0.9, "momentum": 0.5, "weight_decay": 0.1}),
    ("adagrad", "Adagrad", {}),
    ("adagrad_decay", "Adagrad", {"eps": 1e-6, "weight_decay": 0.1}),
]


def short(values):
    """The floats with the nine digits that bring them back."""
    return [float(f"{value:.9g}") for value in values]


def trace(optimizer_name, options):
    """Per step the gradient that is given and the weights that come of it."""
    weights = torch.nn.Parameter(torch.tensor(START))
    optimizer = getattr(torch.optim, optimizer_name)([weights], lr=RATE, **options)
    steps = []
    for step in range(STEPS):
        with torch.no_grad():
            sign = 1.0 if step % 2 == 0 else -1.0
            weights.grad = weights**3 - 0.5 * weights + 0.25 * sign
        gradient = weights.grad.tolist()
        optimizer.step()
        steps.append([short(gradient), short(weights.tolist())])
    return steps


def build():
    return {
        "made_by": "layers/training/testdata/make_optimizers.py",
        "rate": RATE,
        "start": START,
        "traces": {name: trace(kind, options) for name, kind, options in CONFIGURATIONS},
    }


if __name__ == "__main__":
    out = pathlib.Path(__file__).with_name("optimizers.json")
    text = json.dumps(build())
    out.write_text(text.replace("[[[", "[\n[[").replace("]], [[", "]],\n[[") + "\n")

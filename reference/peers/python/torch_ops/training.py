"""Optimizers, losses and a data set in memory in PyTorch."""

import torch
from nsop_row import registry
from torch_ops.step import OUT, Step

OPS, op = registry()
functions, optimizers = torch.nn.functional, torch.optim

# The class, what it is told beside the learning rate, and its names for the state of the op.
RULES = {
    "sgd": (optimizers.SGD, {}, ()),
    "momentum": (optimizers.SGD, {"momentum": 0.9}, ("momentum_buffer",)),
    "nesterov": (optimizers.SGD, {"momentum": 0.9, "nesterov": True}, ("momentum_buffer",)),
    "adam": (optimizers.Adam, {}, ("exp_avg", "exp_avg_sq")),
    "adamw": (optimizers.AdamW, {}, ("exp_avg", "exp_avg_sq")),
    "rmsprop": (optimizers.RMSprop, {}, ("square_avg",)),
    "adagrad": (optimizers.Adagrad, {}, ("sum",)),
}


@op
def optimizer_update(c, inputs, _):
    """In place; every run begins with copying weights and state."""
    make, options, names = RULES[c.text("rule")]
    weight, gradient, *given = inputs
    parameter = torch.nn.Parameter(weight.clone())
    parameter.grad = gradient
    optimizer = make([parameter], lr=1e-3, **options)

    state = optimizer.state[parameter]
    state.update((name, value.clone()) for name, value in zip(names, given))

    def restore():
        parameter.data.copy_(weight)
        if make is not optimizers.SGD:
            state["step"] = torch.tensor(9.0)
        for name, value in zip(names, given):
            state[name].copy_(value)

    def update():
        restore()
        optimizer.step()

    def results():
        return [parameter.data] + [state[name] for name in names]

    return Step(update, f"torch.optim.{make.__name__}", results)


LOSSES = {
    "mse": functions.mse_loss,
    "huber": functions.huber_loss,
    "bce": functions.binary_cross_entropy_with_logits,
    "cross_entropy": functions.cross_entropy,
}


@op
def loss(c, inputs, _):
    x, target = inputs
    function, by_class = LOSSES[c.text("kind")], c.text("kind") == "cross_entropy"
    leaf = x.detach().requires_grad_(True)
    t = target.long() if by_class else target
    found = []

    def run():
        with torch.enable_grad():
            leaf.grad = None
            value = function(leaf, t)
            value.backward()
        found[:] = [value.detach().reshape(1), leaf.grad]

    def refresh():
        if by_class:
            t.copy_(target)

    chose = f"torch.nn.functional.{function.__name__} and autograd"
    return Step(run, chose, lambda: found, refresh)


@op
def load_batch(c, inputs, outputs):
    count, batch = len(inputs[1]), c.integer("batch")
    epoch = {"order": torch.empty(0, dtype=torch.int64), "at": 0}

    def run():
        if epoch["at"] + batch > len(epoch["order"]):
            epoch.update(order=torch.randperm(count), at=0)
        chosen = epoch["order"][epoch["at"] : epoch["at"] + batch]
        epoch["at"] += batch
        for tensor, out in zip(inputs, outputs):
            torch.index_select(tensor, 0, chosen, out=out)

    return Step(run, f"randperm and index_select, {OUT}", lambda: outputs)

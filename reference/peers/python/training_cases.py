"""Shapes of the DQN workload (docs/dqn.md) and of what a training loop calls beside the layers; see
nsop_cases.py."""

DQN_PARAMETERS = 64 * (16 + 1) + 64 * (64 + 1) + 4 * (64 + 1)

STATE = {
    "sgd": (),
    "momentum": ("momentum",),
    "nesterov": ("momentum",),
    "adam": ("m", "v"),
    "adamw": ("m", "v"),
    "rmsprop": ("square",),
    "adagrad": ("sum",),
}


def optimizer_update(c):
    n = c.shape("n")
    state = [(name, n) for name in STATE[c.text("rule")]]
    copy = [] if c.text("type", "f32") == "f32" else [("copy", n)]
    return [("weight", n), ("gradient", n)] + state, [("weight", n)] + state + copy


def loss(c):
    n = c.shape("n")
    target = n[:1] if c.text("kind") == "cross_entropy" else n
    return [("x", n), ("t", target)], [("value", (1,)), ("dx", n)]


def load_batch(c):
    n, batch = c.shape("n"), c.integer("batch")
    outputs = [("examples", (batch,) + n[1:]), ("targets", (batch,))]
    return [("examples", n), ("targets", n[:1])], outputs


def dqn_train(c, batch=32):
    calls = c.integer("calls")
    states, scalars = (calls, batch, 16), (calls, batch)
    inputs = [
        ("parameters", (DQN_PARAMETERS,)),
        ("states", states),
        ("actions", scalars),
        ("rewards", scalars),
        ("next_states", states),
        ("done", scalars),
    ]
    return inputs, [("losses", (calls,)), ("parameters", (DQN_PARAMETERS,))]


def dqn_update(c):
    return dqn_train(c, c.integer("batch"))


def dqn2048(c):
    episodes = c.integer("episodes")
    outputs = [
        ("scores", (episodes,)),
        ("moves", (episodes,)),
        ("losses", (episodes,)),
        ("parameters", (DQN_PARAMETERS,)),
        ("actions", (256 * episodes + 1024,)),
    ]
    return [("seed", (2,)), ("parameters", (DQN_PARAMETERS,))], outputs


SHAPES = {
    "optimizer_update": optimizer_update,
    "loss": loss,
    "load_batch": load_batch,
    "dqn_train": dqn_train,
    "dqn_update": dqn_update,
    "dqn2048": dqn2048,
}

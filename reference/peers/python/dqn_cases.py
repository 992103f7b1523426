"""Shapes of the DQN workload (docs/dqn.md); see nsop_cases.py."""

DQN_PARAMETERS = 64 * (16 + 1) + 64 * (64 + 1) + 4 * (64 + 1)


def dqn_train(c):
    calls, batch = c.integer("calls"), 32
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

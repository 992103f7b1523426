"""The DQN workload in PyTorch (docs/dqn.md): modules, autograd and torch.optim.Adam."""

import statistics
import time

import torch
from nsop_row import registry
from nsop_timing import Phases
from torch_ops.dqn2048_game import (
    BATCH,
    EXPLORE,
    REPLAY,
    Draws,
    Game,
    Replay,
    below,
    fraction,
    tiles,
)
from torch_ops.step import Step

OPS, op = registry()

GAMMA = 0.99


class Trainer:
    """Network and optimizer; a training call makes one update or one per experience."""

    def __init__(self, updates, batch=BATCH):
        self._batch, self._rows = batch, batch // updates
        self._net = torch.nn.Sequential(
            torch.nn.Linear(16, 64),
            torch.nn.ReLU(),
            torch.nn.Linear(64, 64),
            torch.nn.ReLU(),
            torch.nn.Linear(64, 4),
        )
        self._parameters = list(self._net.parameters())
        for parameter in self._parameters:
            parameter.requires_grad_(True)
        self._optimizer = None
        self.phases = Phases()

    def reset(self, flat):
        parts = flat.split([parameter.numel() for parameter in self._parameters])
        for parameter, part in zip(self._parameters, parts):
            parameter.data.copy_(part.view_as(parameter))
        self._optimizer = torch.optim.Adam(self._parameters, lr=1e-3)

    def store(self, flat):
        torch.cat([parameter.data.flatten() for parameter in self._parameters], out=flat)

    def values(self, state):
        return self._net(torch.tensor([state], dtype=torch.float32))[0].tolist()

    def train(self, states, actions, rewards, next_states, done):
        losses = []
        for i in range(0, self._batch, self._rows):
            rows = slice(i, i + self._rows)
            losses.append(
                self._update(
                    states[rows], actions[rows], rewards[rows], next_states[rows], done[rows]
                )
            )
            self.phases.end("update")
        return sum(losses) / len(losses)

    def _update(self, states, actions, rewards, next_states, done):
        with torch.no_grad():
            later = GAMMA * (1 - done) * self._net(next_states).max(1).values
        with torch.enable_grad():
            q = self._net(states)
            target = q.detach().clone()
            target.scatter_(1, actions.long().unsqueeze(1), (rewards + later).unsqueeze(1))
            loss = torch.nn.functional.mse_loss(q, target)
            self.phases.end("forward")
            self._optimizer.zero_grad()
            loss.backward()
            self.phases.end("backward")
            self._optimizer.step()
        return loss.item()


def training_times(call_ns):
    """The metrics about the training calls of a run."""
    tenth = max(1, len(call_ns) // 10)
    return {
        "training_calls": len(call_ns),
        "train_call_ns": statistics.mean(call_ns),
        "train_first_tenth_ns": statistics.median(call_ns[:tenth]),
        "train_last_tenth_ns": statistics.median(call_ns[-tenth:]),
    }


HOW = "torch.nn, autograd and torch.optim.Adam"


def training_step(trainer, inputs, outputs):
    call_ns = []
    parameters, *batches = inputs
    losses, trained = outputs

    def run():
        call_ns.clear()
        trainer.reset(parameters)
        trainer.phases.start()
        for call, batch in enumerate(zip(*batches)):
            start = time.monotonic_ns()
            losses[call] = trainer.train(*batch)
            call_ns.append(time.monotonic_ns() - start)
        trainer.store(trained)

    step = Step(run, HOW, lambda: outputs)
    step.metrics = lambda: {**training_times(call_ns), **trainer.phases.metrics()}
    return step


@op
def dqn_train(c, inputs, outputs):
    return training_step(Trainer(c.integer("updates")), inputs, outputs)


@op
def dqn_update(c, inputs, outputs):
    return training_step(Trainer(1, c.integer("batch")), inputs, outputs)


class Loop:
    """Play a game, train once, explore a little less."""

    def __init__(self, trainer, episodes):
        self._trainer, self._episodes = trainer, episodes
        self.moves, self.call_ns = 0, []

    def run(self, seed, parameters, scores, moves, losses, actions):
        self._trainer.reset(parameters)
        self.call_ns, played, replay, game = [], [], Replay(), Game(seed)
        explore, picks = Draws(seed, EXPLORE), Draws(seed, REPLAY)
        epsilon = 1.0
        phases = self._trainer.phases
        phases.start()
        for episode in range(self._episodes):
            before = len(played)
            self._play(game, explore, epsilon, replay, played)
            phases.end("play")
            scores[episode] = game.score
            moves[episode] = len(played) - before
            start = time.monotonic_ns()
            states, taken, rewards, after, done = zip(*replay.batch(picks, episode))
            batch = (
                torch.tensor(states, dtype=torch.float32),
                torch.tensor(taken),
                torch.tensor(rewards, dtype=torch.float32),
                torch.tensor(after, dtype=torch.float32),
                torch.tensor(done, dtype=torch.float32),
            )
            phases.end("sample")
            losses[episode] = self._trainer.train(*batch)
            self.call_ns.append(time.monotonic_ns() - start)
            epsilon = max(0.1, epsilon * 0.995)
        actions[: len(played)] = torch.tensor(played, dtype=torch.float32)
        actions[len(played) :] = -1
        self.moves = len(played)

    def _play(self, game, explore, epsilon, replay, played):
        game.start()
        state = tiles(game.board)
        while game.moves:
            draw = explore.at(len(played))
            if fraction(draw) < epsilon:
                move = game.moves[below(draw, len(game.moves))]
            else:
                q = self._trainer.values(state)
                move = max(game.moves, key=lambda move: q[move[0]])
            reward = game.move(move)
            after = tiles(game.board)
            replay.add((state, move[0], reward, after, not game.moves))
            state = after
            played.append(move[0])


@op
def dqn2048(c, inputs, outputs):
    trainer = Trainer(c.integer("updates"))
    loop = Loop(trainer, c.integer("episodes"))
    seed, parameters = inputs
    scores, moves, losses, trained, actions = outputs

    def run():
        low, high = (int(half) for half in seed.tolist())
        loop.run(low + (high << 24), parameters, scores, moves, losses, actions)
        trainer.store(trained)

    step = Step(run, HOW, lambda: outputs)
    step.metrics = lambda: {
        "episodes": c.integer("episodes"),
        "moves": loop.moves,
        **training_times(loop.call_ns),
        **trainer.phases.metrics(),
    }
    return step

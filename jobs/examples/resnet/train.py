#!/usr/bin/env python3
"""Trains ResNet-20 in the clear (torch), folds batch norm into the convolutions, measures what goes into activations, and
writes weights of 16 bits. README.md says how the shipped weights were made."""
import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import images
import network


class Activation(nn.Module):
    """relu, or a polynomial of degree 2; keeps the largest argument that it has seen. With squares from the start nothing
    is learnt: few pixels become so large that norms leave nothing of the others. So training begins with relu, and goes
    over to squares."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.most, self.share = kind, 0.0, 1.0

    def forward(self, x):
        self.most = max(self.most, float(x.detach().abs().max()))
        if self.kind == "relu":
            return functional.relu(x)
        c0, c1, c2 = network.SQUARE
        square = c0 + c1 * x + c2 * x * x
        return square if self.share == 1 else self.share * square + (1 - self.share) * functional.relu(x)


class Block(nn.Module):
    """Two convolutions and a shortcut. With squares what comes together is normalised, as tails would grow from block to
    block."""

    def __init__(self, before, channels, stride, kind):
        super().__init__()
        self.stride = stride
        self.first = nn.Conv2d(before, channels, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)])
        self.short = nn.Conv2d(before, channels, 1, stride, bias=False) if before != channels else None
        self.together = nn.BatchNorm2d(channels) if kind == "square" else None
        self.inner, self.outer = Activation(kind), Activation(kind)

    def forward(self, x):
        y = self.inner(self.norms[0](self.first(x)))
        y = self.norms[1](self.second(y)) + (self.short(x) if self.short is not None else x)
        return self.outer(self.together(y) if self.together is not None else y)


class Network(nn.Module):
    def __init__(self, kind, channels=(16, 32, 64), blocks=3, classes=10):
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, channels[0], 3, 1, 1, bias=False), nn.BatchNorm2d(channels[0])
        self.act = Activation(kind)
        chain, before = [], channels[0]
        for stage, count in enumerate(channels):
            for i in range(blocks):
                chain.append(Block(before, count, 2 if stage and not i else 1, kind))
                before = count
        self.blocks = nn.ModuleList(chain)
        self.dense = nn.Linear(before, classes)

    def forward(self, x):
        y = self.act(self.norm(self.first(x)))
        for block in self.blocks:
            y = block(y)
        return self.dense(y.mean((2, 3)))


def folded(conv, norm):
    """A table of conv(K, ..): a row a channel of the result, the bias last."""
    factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    kernel = conv.weight * factor[:, None, None, None]
    bias = norm.bias - norm.running_mean * factor
    return torch.cat([kernel.flatten(1), bias[:, None]], 1).detach().numpy()


def export(net, path, accuracy, scores_most):
    """The two terms of a block's sum are normalised: its second convolution and its shortcut, with one bias."""
    out = {"first": folded(net.first, net.norm), "first_most": net.act.most}
    for i, block in enumerate(net.blocks):
        name = "block%d_" % i
        second = folded(block.second, block.norms[1])
        short = None if block.short is None else block.short.weight.detach().flatten(1).numpy()
        if block.together is not None:
            norm = block.together
            factor = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach().numpy()
            second = second * factor[:, None]
            second[:, -1] += (norm.bias - norm.running_mean * torch.from_numpy(factor)).detach().numpy()
            short = (np.eye(len(factor)) if short is None else short) * factor[:, None]
        out.update({name + "first": folded(block.first, block.norms[0]), name + "second": second,
                    name + "stride": block.stride, name + "first_most": block.inner.most,
                    name + "second_most": block.outer.most})
        if short is not None:
            out[name + "short"] = short
    out["dense"] = torch.cat([net.dense.weight, net.dense.bias[:, None]], 1).detach().numpy()
    half = {name: np.asarray(value, np.float16) if np.ndim(value) else np.float32(value) for name, value in out.items()}
    np.savez_compressed(path, kind=net.act.kind, accuracy=np.float32(accuracy), scores_most=np.float32(scores_most),
                        **half)


def batches(net, x, step=250):
    with torch.no_grad():
        return torch.cat([net(x[at:at + step]) for at in range(0, len(x), step)])


def moved(x):
    """Images moved by up to a sixteenth of their side, half of them mirrored."""
    x = torch.where(torch.rand(len(x), 1, 1, 1) < 0.5, x.flip(3), x)
    most = x.shape[3] // 16
    dy, dx = torch.randint(-most, most + 1, (2,)).tolist()
    return torch.roll(x, (dy, dx), (2, 3))


def train(net, x, classes, epochs, rate, batch):
    """One epoch after the other; yields after each. Squares are whole after half of them."""
    steps = len(x) // batch
    best = torch.optim.SGD(net.parameters(), rate, 0.9, weight_decay=5e-4, nesterov=True)
    plan = torch.optim.lr_scheduler.OneCycleLR(best, rate, steps * epochs)
    for epoch in range(epochs):
        net.train()
        for module in net.modules():
            if isinstance(module, Activation):
                module.share = min(1.0, 2 * epoch / epochs)
        for at in torch.randperm(len(x))[:steps * batch].split(batch):
            loss = functional.cross_entropy(net(moved(x[at])), classes[at])
            best.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            best.step()
            plan.step()
        net.eval()
        yield epoch, float(loss)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--activation", choices=["relu", "square"], default="relu")
    parser.add_argument("--data", default=images.FASHION, help="folder of Fashion-MNIST or of CIFAR-10's files")
    parser.add_argument("--pixels", type=int, choices=[8, 16, 32], default=32, help="of 32 in a row, that many are taken")
    parser.add_argument("--channels", default="16,32,64", help="of the stages")
    parser.add_argument("--blocks", type=int, default=3, help="of each stage")
    parser.add_argument("--images", type=int, default=50000)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tests", type=int, default=10000, help="test images for the accuracy, and training images for ranges")
    parser.add_argument("out", help="FILE.npz")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(options.threads)
    step = 32 // options.pixels
    pixels, classes = images.load(options.data, "train")
    x = torch.from_numpy(images.values(pixels[:options.images, :, ::step, ::step]))
    classes = torch.from_numpy(classes[:options.images].astype(np.int64))
    pixels, truth = images.load(options.data, "test")
    tests = torch.from_numpy(images.values(pixels[:options.tests, :, ::step, ::step]))
    truth = torch.from_numpy(truth[:options.tests].astype(np.int64))
    net = Network(options.activation, [int(count) for count in options.channels.split(",")], options.blocks)
    begun = time.time()
    for epoch, loss in train(net, x, classes, options.epochs, options.rate, options.batch):
        for module in net.modules():
            if isinstance(module, Activation):
                module.most = 0.0
        most = float(batches(net, x[:options.tests]).abs().max())
        right = float((batches(net, tests).argmax(1) == truth).float().mean())
        export(net, options.out, right, most)
        print("epoch %d: loss %.3f, %.2f %% of %d test images right, %.0f s"
              % (epoch + 1, loss, 100 * right, len(truth), time.time() - begun), flush=True)


if __name__ == "__main__":
    main()

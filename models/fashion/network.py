# SPDX-License-Identifier: Apache-2.0
"""The network as a PyTorch module, and its training."""

import sys
import time

from common import STAGES, load_split, to_input


def make_network():
    """The network as PyTorch module, batch norm after every convolution."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    class ConvBN(nn.Sequential):
        def __init__(self, cin, cout, kernel, stride):
            super().__init__(
                nn.Conv2d(cin, cout, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(cout)
            )

    class Block(nn.Module):
        def __init__(self, cin, cout, stride):
            super().__init__()
            self.conv1 = ConvBN(cin, cout, 3, stride)
            self.conv2 = ConvBN(cout, cout, 3, 1)
            if stride != 1:
                self.shortcut = ConvBN(cin, cout, 1, stride)

        def forward(self, x):
            y = self.conv2(F.relu(self.conv1(x), inplace=True))
            side = self.shortcut(x) if hasattr(self, "shortcut") else x
            return F.relu(y + side, inplace=True)

    class ResNet8(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = ConvBN(1, STAGES[0][1], 3, 1)
            for name, cin, cout, stride in STAGES:
                setattr(self, name, Block(cin, cout, stride))
            self.fc = nn.Linear(STAGES[-1][2], 10)

        def forward(self, x):
            x = F.relu(self.stem(x), inplace=True)
            for name, *_ in STAGES:
                x = getattr(self, name)(x)
            return self.fc(x.mean((2, 3)))

    return ResNet8().to(memory_format=torch.channels_last)


def augment(x, shift, rng):
    """Flips half of the images left-right and shifts each by up to `shift` pixels."""
    import torch
    from torch.nn import functional as F

    n, _, h, w = x.shape
    flip = torch.rand(n, generator=rng) < 0.5
    x = torch.where(flip[:, None, None, None], x.flip(3), x)
    padded = F.pad(x, (shift,) * 4)[:, 0]
    dy, dx = torch.randint(0, 2 * shift + 1, (2, n, 1, 1), generator=rng)
    rows = torch.arange(h)[None, :, None] + dy
    cols = torch.arange(w)[None, None, :] + dx
    return padded[torch.arange(n)[:, None, None], rows, cols][:, None]


def train(args):
    """Trains for args.epochs epochs; returns the path of the last checkpoint."""
    import torch
    from torch.nn import functional as F

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    rng = torch.Generator().manual_seed(args.seed)

    images, labels = load_split(args.data, "train")
    images, labels = torch.from_numpy(to_input(images)), torch.from_numpy(labels)
    steps = len(images) // args.batch

    net = make_network()
    # Weight decay leaves out batch-norm parameters and biases.
    decayed = [p for p in net.parameters() if p.ndim > 1]
    plain = [p for p in net.parameters() if p.ndim <= 1]
    optimiser = torch.optim.SGD(
        [{"params": decayed, "weight_decay": args.weight_decay}, {"params": plain}],
        lr=args.lr, momentum=0.9, nesterov=True,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, max_lr=args.lr, total_steps=args.epochs * steps, pct_start=0.2
    )

    args.work.mkdir(parents=True, exist_ok=True)
    path = args.work / "last.pt"
    first = 0
    if args.resume:
        state = torch.load(path)
        if state["epochs"] != args.epochs:
            sys.exit(f"{path} belongs to a run of {state['epochs']} epochs, not {args.epochs}")
        net.load_state_dict(state["net"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        rng.set_state(state["rng"])
        first = state["epoch"]

    for epoch in range(first, args.epochs):
        started = time.time()
        net.train()
        order = torch.randperm(len(images), generator=rng)
        loss_sum = hits = 0.0
        for step in range(steps):
            pick = order[step * args.batch : (step + 1) * args.batch]
            x = augment(images[pick], args.shift, rng).to(memory_format=torch.channels_last)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=not args.float32):
                logits = net(x)
            logits = logits.float()
            loss = F.cross_entropy(logits, labels[pick], label_smoothing=args.smoothing)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            loss_sum += loss.item()
            hits += (logits.argmax(1) == labels[pick]).sum().item()
        torch.save(
            {
                "epoch": epoch + 1, "epochs": args.epochs, "net": net.state_dict(),
                "optimiser": optimiser.state_dict(), "schedule": schedule.state_dict(),
                "rng": rng.get_state(),
            },
            path,
        )
        print(
            f"epoch {epoch + 1:3d}/{args.epochs}  loss {loss_sum / steps:.4f}  "
            f"training top-1 {100 * hits / (steps * args.batch):.2f} %  "
            f"{time.time() - started:.0f} s",
            flush=True,
        )
    return path

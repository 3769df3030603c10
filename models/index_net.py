"""The index reader's network and what it is fed while training."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from models.synth.dataset import STORE_SIZE, STORE_SPAN

SIZE, SPAN = (40, 56), (2.0, 2.8)
"""Input px, and what it shows in rank-suit distances: 20 px a distance."""

PX_PER_SPAN = SIZE[0] / SPAN[0]
_STORE_PX = STORE_SIZE[0] / STORE_SPAN[0]

JITTER_SHIFT, JITTER_ANGLE, JITTER_SCALE, JITTER_SHEAR, JITTER_STRETCH = 0.09, 0.09, 0.12, 0.08, 0.14
"""How far the finder may be off while training (deviations): spans, radians, log scale, shear, log width."""

_TRUE = np.array(
    [[STORE_SIZE[0] / 2, STORE_SIZE[1] / 2 - _STORE_PX / 2], [STORE_SIZE[0] / 2, STORE_SIZE[1] / 2 + _STORE_PX / 2]]
)
_THOUGHT = np.array([[SIZE[0] / 2, SIZE[1] / 2 - PX_PER_SPAN / 2], [SIZE[0] / 2, SIZE[1] / 2 + PX_PER_SPAN / 2]])


def _conv(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)
    )


class IndexNet(nn.Module):  # type: ignore[misc]
    """[n, 3, 56, 40] RGB 0..1 -> [n, 23]: rank 13 + none, suit 4 + none, offsets (rank x y, suit x y) in spans."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            _conv(3, 24, 2), _conv(24, 24),
            _conv(24, 48, 2), _conv(48, 48), _conv(48, 48),
            _conv(48, 88, 2), _conv(88, 88),
        )  # fmt: skip
        self.hidden = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.1), nn.Linear(88 * 35, 160), nn.ReLU(inplace=True), nn.Dropout(0.1)
        )
        self.out = nn.Linear(160, 23)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Logits and offsets, see the class."""
        result: torch.Tensor = self.out(self.hidden(self.features(pictures * 2 - 1)))
        return result


def jitter(stored: np.ndarray, rng: np.random.Generator, amount: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """A stored crop as the finder might have cut it -> (uint8 [56, 40, 3], offsets [2, 2] in spans).

    ``amount`` 0 cuts it exactly. No mirror images: they do not exist.
    """
    shift = rng.normal(0, JITTER_SHIFT, 2) * amount * PX_PER_SPAN
    angle = rng.normal(0, JITTER_ANGLE) * amount
    scale = PX_PER_SPAN / _STORE_PX * math.exp(rng.normal(0, JITTER_SCALE) * amount)
    c, s = math.cos(angle) * scale, math.sin(angle) * scale
    turn = np.array([[c, -s], [s, c]]) @ np.array([[1, rng.normal(0, JITTER_SHEAR) * amount], [0, 1]])
    turn[:, 0] *= math.exp(rng.normal(0, JITTER_STRETCH) * amount)
    middle = np.array(SIZE) / 2 + shift - turn @ (np.array(STORE_SIZE) / 2)
    matrix = np.concatenate([turn, (middle + turn.sum(1) / 2 - 0.5)[:, None]], 1)
    cut = cv2.warpAffine(stored, matrix, SIZE, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cut, ((_TRUE @ turn.T + middle) - _THOUGHT) / PX_PER_SPAN


def stray_cut(stored: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A piece of a crop at quite another size, uint8 [56, 40, 3]: pips, art and strokes that are no index."""
    scale = PX_PER_SPAN / _STORE_PX * rng.uniform(2.0, 4.5)
    angle = rng.uniform(0, 2 * math.pi)
    c, s = math.cos(angle) * scale, math.sin(angle) * scale
    turn = np.array([[c, -s], [s, c]])
    aim = rng.uniform(0.25, 0.75, 2) * STORE_SIZE
    matrix = np.concatenate([turn, (np.array(SIZE) / 2 - turn @ aim)[:, None]], 1)
    return np.asarray(cv2.warpAffine(stored, matrix, SIZE, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def colour_jitter(pictures: torch.Tensor) -> torch.Tensor:
    """Light, white balance, gamma, noise, blur, grey on [n, 3, h, w] in 0..1; the hue itself is left alone."""
    n = pictures.shape[0]
    x = pictures * (torch.rand(n, 1, 1, 1) * 0.7 + 0.65) + (torch.rand(n, 1, 1, 1) - 0.5) * 0.3
    x = x * (torch.rand(n, 3, 1, 1) * 0.3 + 0.85)
    grey = torch.rand(n) < 0.1
    x[grey] = x[grey].mean(1, keepdim=True).expand(-1, 3, -1, -1)
    x = x.clamp(0, 1.2)
    bent = torch.rand(n) < 0.3
    x[bent] = x[bent].clamp(1e-3) ** torch.exp(torch.randn(int(bent.sum()), 1, 1, 1) * 0.3)
    noisy = torch.rand(n) < 0.4
    x[noisy] = x[noisy] + torch.randn_like(x[noisy]) * torch.rand(int(noisy.sum()), 1, 1, 1) * 0.06
    specked = torch.rand(n) < 0.12
    x[specked] = _specks(x[specked])
    soft = torch.rand(n) < 0.15
    x[soft] = nn.functional.avg_pool2d(x[soft], 3, 1, 1, count_include_pad=False)
    return x.clamp(0, 1)


def _specks(pictures: torch.Tensor) -> torch.Tensor:
    """Single black and white pixels, as a cheap sensor or a careless tool leaves them."""
    n, _, high, wide = pictures.shape
    hit = torch.rand(n, 1, high, wide) < torch.rand(n, 1, 1, 1) * 0.02
    return torch.where(hit, (torch.rand(n, 1, high, wide) < 0.5).float(), pictures)


def loss(
    output: torch.Tensor, rank: torch.Tensor, suit: torch.Tensor, offsets: torch.Tensor, placed: torch.Tensor
) -> Any:
    """Cross-entropy of rank and suit (label -1 ignored, 2 % smoothing) and the offsets where they are known."""
    total = nn.functional.cross_entropy(output[:, :14], rank, ignore_index=-1, label_smoothing=0.02)
    total = total + nn.functional.cross_entropy(output[:, 14:19], suit, ignore_index=-1, label_smoothing=0.02)
    off = nn.functional.smooth_l1_loss(output[:, 19:], offsets, reduction="none", beta=0.1).sum(1)
    return total + 2 * (off * placed).sum() / placed.sum().clamp(min=1)

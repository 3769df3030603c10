"""The networks that read an index and the card round it, and what they are fed while training."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from models.synth.dataset import CARD_AIM, CARD_SPAN, STORE_SIZE, STORE_SPAN
from models.synth.dataset import CARD_SIZE as CARD_STORE_SIZE

SIZE, SPAN = (40, 56), (2.0, 2.8)
"""Input px, and what it shows in rank-suit distances: 20 px a distance."""

CARD_SIZE, CARD_SHOWN = (72, 72), (6.0, 6.0)
"""Input px of the card network, and what it shows in rank-suit distances: 12 px a distance."""

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


class CardNet(nn.Module):  # type: ignore[misc]
    """What lies round an index, [n, 3, 72, 72] RGB 0..1 -> [n, 19]: what pips and court add to the index's logits."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            _conv(3, 20, 2), _conv(20, 20),
            _conv(20, 40, 2), _conv(40, 40),
            _conv(40, 80, 2), _conv(80, 80),
            _conv(80, 96, 2), nn.Conv2d(96, 48, 1), nn.ReLU(inplace=True),
        )  # fmt: skip
        self.hidden = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.1), nn.Linear(48 * 25, 128), nn.ReLU(inplace=True), nn.Dropout(0.1)
        )
        self.out = nn.Linear(128, 19)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Logits of rank and suit, see the class."""
        result: torch.Tensor = self.out(self.hidden(self.features(pictures * 2 - 1)))
        return result


CARD_JITTER = 0.5
"""The card is cut after two looks at its index: its place is surer than that of a first cut by this factor."""


def jitter_card(stored: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Stored surroundings as a refined find would have cut them: uint8 [72, 72, 3]."""
    store_px, px = CARD_STORE_SIZE[0] / CARD_SPAN[0], CARD_SIZE[0] / CARD_SHOWN[0]
    turn = _turn(rng, px / store_px, CARD_JITTER)
    index = np.array(CARD_STORE_SIZE) / 2 - np.array(CARD_AIM) * store_px
    shift = rng.normal(0, JITTER_SHIFT, 2) * CARD_JITTER * px
    aimed = np.array(CARD_SIZE) / 2 - np.array(CARD_AIM) * px + shift
    return _cut(stored, turn, aimed - turn @ index, CARD_SIZE)


def _turn(rng: np.random.Generator, scale: float, amount: float) -> np.ndarray:
    """A random turn, scale, shear and stretch [2, 2] round ``scale``."""
    angle = rng.normal(0, JITTER_ANGLE) * amount
    scale *= math.exp(rng.normal(0, JITTER_SCALE) * amount)
    c, s = math.cos(angle) * scale, math.sin(angle) * scale
    turn = np.array([[c, -s], [s, c]]) @ np.array([[1, rng.normal(0, JITTER_SHEAR) * amount], [0, 1]])
    turn[:, 0] *= math.exp(rng.normal(0, JITTER_STRETCH) * amount)
    return np.asarray(turn)


def _cut(stored: np.ndarray, turn: np.ndarray, origin: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    matrix = np.concatenate([turn, (origin + turn.sum(1) / 2 - 0.5)[:, None]], 1)
    cut = cv2.warpAffine(stored, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut)


def jitter(stored: np.ndarray, rng: np.random.Generator, amount: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """A stored crop as the finder might have cut it -> (uint8 [56, 40, 3], offsets [2, 2] in spans).

    ``amount`` 0 cuts it exactly. No mirror images: they do not exist.
    """
    shift = rng.normal(0, JITTER_SHIFT, 2) * amount * PX_PER_SPAN
    turn = _turn(rng, PX_PER_SPAN / _STORE_PX, amount)
    middle = np.array(SIZE) / 2 + shift - turn @ (np.array(STORE_SIZE) / 2)
    cut = _cut(stored, turn, middle, SIZE)
    return cut, ((_TRUE @ turn.T + middle) - _THOUGHT) / PX_PER_SPAN


STRAY_ZOOM = (1.8, 4.5)
"""How much smaller a stray find is than the index it lies in or beside."""


def stray_cuts(
    stored: np.ndarray, card: np.ndarray | None, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray | None]:
    """An index and its card as if a find of another size lay there: half a figure, a pip, art; no index.

    Where a picture's scale is searched for, the finder takes such for small indices, above all the right way up.
    """
    zoom = rng.uniform(*STRAY_ZOOM)
    angle = rng.uniform(0, 2 * math.pi) if rng.random() < 0.5 else rng.normal(0, 0.15) + math.pi * rng.integers(2)
    places = np.array([[0, -0.5], [0, 0.5], [0, 0], rng.uniform((-0.9, -1.2), (0.9, 1.2))])
    at = places[rng.integers(len(places))] + rng.normal(0, 0.15, 2)
    c, s = math.cos(angle) * zoom, math.sin(angle) * zoom
    turn = np.array([[c, -s], [s, c]])
    index = turn * PX_PER_SPAN / _STORE_PX
    cut = _cut(stored, index, np.array(SIZE) / 2 - index @ (np.array(STORE_SIZE) / 2 + at * _STORE_PX), SIZE)
    if card is None:
        return cut, None
    store_px, px = CARD_STORE_SIZE[0] / CARD_SPAN[0], CARD_SIZE[0] / CARD_SHOWN[0]
    wide, aim = turn * px / store_px, np.array(CARD_AIM)
    middle = np.array(CARD_STORE_SIZE) / 2 + (at - aim) * store_px
    return cut, _cut(card, wide, np.array(CARD_SIZE) / 2 - aim * px - wide @ middle, CARD_SIZE)


def colour_jitter(pictures: torch.Tensor) -> torch.Tensor:
    """Light, white balance, gamma, noise, blur, grey on [n, 3, h, w] in 0..1; the hue itself is left alone."""
    n = pictures.shape[0]
    pictures = _inked(pictures)
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


BOLD_SHARE, THIN_SHARE = 0.3, 0.1
"""Share of pictures with more ink, and with less: presses, exposure and blur make the same pip fat or lean."""


def _inked(pictures: torch.Tensor) -> torch.Tensor:
    """Some pictures [n, 3, h, w] with their dark parts, or their light ones, grown by up to a pixel each way."""
    chosen = torch.rand(len(pictures))
    pictures = pictures.clone()
    for picked, sign in ((chosen < BOLD_SHARE, -1), (chosen > 1 - THIN_SHARE, 1)):
        if bool(picked.any()):
            grown = sign * nn.functional.max_pool2d(sign * pictures[picked], 3, 1, 1)
            pictures[picked] = torch.lerp(pictures[picked], grown, torch.rand(len(grown), 1, 1, 1) * 0.9)
    return pictures


def _specks(pictures: torch.Tensor) -> torch.Tensor:
    """Single black and white pixels, as a cheap sensor or a careless tool leaves them."""
    n, _, high, wide = pictures.shape
    hit = torch.rand(n, 1, high, wide) < torch.rand(n, 1, 1, 1) * 0.02
    return torch.where(hit, (torch.rand(n, 1, high, wide) < 0.5).float(), pictures)


FAINT_SHARE = 0.3
"""Share of indices made too small to read beside a card that is not: so pips learn to speak up."""


def fainter(pictures: torch.Tensor) -> torch.Tensor:
    """Some of the indices [n, 3, h, w] as if the picture had a third to two thirds of its pixels."""
    chosen = torch.rand(len(pictures)) < FAINT_SHARE
    if not bool(chosen.any()):
        return pictures
    size = pictures.shape[-2:]
    factor = float(torch.rand(1)) * 0.35 + 0.3
    small = nn.functional.interpolate(pictures[chosen], scale_factor=factor, mode="area")
    pictures = pictures.clone()
    pictures[chosen] = nn.functional.interpolate(small, size=size, mode="bilinear")
    return pictures


def loss(
    output: torch.Tensor, card: torch.Tensor, seen: torch.Tensor, labels: torch.Tensor, offsets: torch.Tensor
) -> Any:
    """The index alone, both together where the card is ``seen`` [n], a little of the card alone, and the offsets.

    ``labels`` [n, 3]: rank, suit, are the offsets known.
    """
    rank, suit, placed = labels[:, 0], labels[:, 1], labels[:, 2].float()
    total = _told(output, rank, suit)
    if bool(seen.any()):
        both = output[seen, :19].detach() + card
        total = total + _told(both, rank[seen], suit[seen]) + CARD_ALONE * _told(card, rank[seen], suit[seen])
    off = nn.functional.smooth_l1_loss(output[:, 19:], offsets, reduction="none", beta=0.1).sum(1)
    return total + 2 * (off * placed).sum() / placed.sum().clamp(min=1)


CARD_ALONE = 0.3
"""Weight of what the card says without its index: enough to start from."""


def _told(logits: torch.Tensor, rank: torch.Tensor, suit: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of rank and suit (label -1 ignored, 1 % smoothing)."""
    wrong = [
        nn.functional.cross_entropy(part, label, ignore_index=-1, label_smoothing=0.01)
        for part, label in ((logits[:, :14], rank), (logits[:, 14:19], suit))
        if bool((label >= 0).any())
    ]
    return torch.stack(wrong).sum()

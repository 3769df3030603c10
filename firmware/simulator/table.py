"""What the bare table looks like: cloth or wood, the room's light, things that lie about. Drawn once a session."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from .geometry import View, project

Image = npt.NDArray[Any]
Colour = tuple[float, float, float]


class Surface(StrEnum):
    """What covers the table."""

    FELT = "felt"
    WOOD = "wood"
    CLOTH = "cloth"
    WHITE = "white"


@dataclass(frozen=True, slots=True)
class Light:
    """The light over the table, as factors of full light.

    ``level`` is the whole brightness, ``slope`` how much it falls across the table towards ``towards_deg``,
    ``vignette`` the loss in the picture's corners, ``warmth`` shifts blue to red, ``edge`` the depth of a shadow that
    something beside the table throws over a part of it. ``drift`` and ``flicker`` are how much it changes in time;
    ``glare`` is how much of the picture a lamp's mirror image whitens, at ``glare_at`` (shares of width and height).
    """

    level: float = 0.95
    slope: float = 0.15
    towards_deg: float = 30.0
    vignette: float = 0.15
    warmth: float = 0.03
    edge: float = 0.0
    drift: float = 0.015
    flicker: float = 0.004
    glare: float = 0.0
    glare_at: tuple[float, float] = (0.5, 0.5)


@dataclass(frozen=True, slots=True)
class Look:
    """Everything about the picture that is not the game: the same look draws the same table."""

    seed: int = 0
    surface: Surface = Surface.FELT
    colour: Colour = (72.0, 104.0, 30.0)
    light: Light = Light()
    noise: float = 2.2  # standard deviation of a pixel, of 255
    blur_px: float = 0.55  # of the lens, at 1280 px width
    props: bool = True


_COLOURS: dict[Surface, list[Colour]] = {
    Surface.FELT: [(72, 104, 30), (58, 98, 24), (110, 70, 30), (40, 36, 110), (88, 92, 40)],
    Surface.WOOD: [(84, 128, 172), (58, 92, 138), (132, 176, 206), (44, 66, 98)],
    Surface.CLOTH: [(150, 130, 96), (120, 140, 168), (96, 92, 150), (140, 160, 150)],
    Surface.WHITE: [(222, 228, 230), (212, 216, 222)],
}


def look(seed: int, surface: Surface | None = None) -> Look:
    """One of many rooms; the same seed gives the same room."""
    rng = Random(f"look {seed}")
    chosen = surface or rng.choices(list(Surface), weights=[4, 3, 2, 1])[0]
    light = Light(
        level=rng.uniform(0.72, 1.02),
        slope=rng.uniform(0.05, 0.30),
        towards_deg=rng.uniform(0, 360),
        vignette=rng.uniform(0.05, 0.25),
        warmth=rng.uniform(-0.02, 0.08),
        edge=rng.uniform(0.15, 0.35) if rng.random() < 0.3 else 0.0,
        drift=rng.uniform(0.0, 0.03),
        flicker=rng.uniform(0.0, 0.008),
    )
    colour = rng.choice(_COLOURS[chosen])
    noise, blur_px, props = rng.uniform(1.4, 3.4), rng.uniform(0.4, 0.8), rng.random() < 0.7
    if rng.random() < 0.2:
        at = rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8)
        light = replace(light, glare=rng.uniform(0.2, 0.5), glare_at=at)
    return Look(seed, chosen, colour, light, noise, blur_px, props)


def draw(how: Look, view: View) -> Image:
    """The bare table in full light, BGR uint8 of the view's size, with the things that lie about."""
    rng = np.random.default_rng(how.seed)
    w, h = view.size_px
    image = _TEXTURES[how.surface](rng, h, w, np.asarray(how.colour, np.float32), view.px_per_mm)
    canvas = np.clip(image, 0, 255).astype(np.uint8)
    if how.props:
        _props(canvas, Random(f"props {how.seed}"), view)
    return canvas


#: Radius of a lamp's mirror image on cards and cloth, mm.
_GLARE_MM = 75.0


def glare_map(how: Light, view: View) -> tuple[tuple[int, int, int, int], Image]:
    """Where a lamp's mirror image lies (left, top, right, bottom px), and how much it whitens: float32 (h, w, 1)."""
    w, h = view.size_px
    radius = _GLARE_MM * view.px_per_mm
    at_x, at_y = how.glare_at[0] * w, how.glare_at[1] * h
    left, right = max(0, round(at_x - 2 * radius)), min(w, round(at_x + 2 * radius))
    top, bottom = max(0, round(at_y - 2 * radius)), min(h, round(at_y + 2 * radius))
    x, y = np.meshgrid(np.arange(left, right, dtype=np.float32), np.arange(top, bottom, dtype=np.float32))
    away = np.hypot(x - at_x, y - at_y) / radius
    return (left, top, right, bottom), np.asarray(how.glare * np.exp(-(away**2)), np.float32)[..., None]


def light_map(how: Light, view: View) -> Image:
    """The light on every pixel, float32 (h, w, 3), about 1 in full light."""
    w, h = view.size_px
    x, y = np.meshgrid(np.linspace(-1, 1, w, dtype=np.float32), np.linspace(-1, 1, h, dtype=np.float32))
    a = math.radians(how.towards_deg)
    along = x * math.cos(a) + y * math.sin(a)
    field = how.level * (1 - how.slope * (along + 1) / 2) * (1 - how.vignette * (x * x + y * y) / 2)
    if how.edge:
        field *= 1 - how.edge / (1 + np.exp(-(along - 0.25) * 9))
    tint = np.array([1 - 2 * how.warmth, 1.0, 1 + how.warmth], np.float32)
    return np.asarray(field[..., None] * tint, np.float32)


def _grain(rng: np.random.Generator, h: int, w: int, cell_x: float, cell_y: float) -> Image:
    """Smooth noise of unit deviation whose grains are about so many px wide and high."""
    small = rng.standard_normal((max(2, round(h / cell_y)), max(2, round(w / cell_x)))).astype(np.float32)
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC))


def _felt(rng: np.random.Generator, h: int, w: int, colour: Image, scale: float) -> Image:
    value = 1 + 0.045 * _grain(rng, h, w, 1.3, 1.3) + 0.035 * _grain(rng, h, w, 4 * scale, 1.5 * scale)
    value += 0.03 * _grain(rng, h, w, 60 * scale, 45 * scale) + 0.02 * _grain(rng, h, w, 14 * scale, 14 * scale)
    return np.asarray(value[..., None] * colour)


def _wood(rng: np.random.Generator, h: int, w: int, colour: Image, scale: float) -> Image:
    warp = 9 * scale * _grain(rng, h, w, 260 * scale, 60 * scale)
    y = np.arange(h, dtype=np.float32)[:, None] + warp
    rings = np.sin(y / (5.5 * scale)) * 0.5 + np.sin(y / (2.1 * scale) + 1.3) * 0.3
    value = 1 + 0.045 * rings + 0.05 * _grain(rng, h, w, 90 * scale, 1.3 * scale)
    value += 0.05 * _grain(rng, h, w, 220 * scale, 26 * scale)
    plank = np.floor(np.arange(h) / (118 * scale)).astype(int)
    value *= (1 + 0.07 * rng.standard_normal(plank.max() + 1)).astype(np.float32)[plank][:, None]
    seam = (np.arange(h) % (118 * scale)) < max(1.2, 1.1 * scale)
    value[seam] *= 0.62
    return np.asarray(value[..., None] * colour)


def _cloth(rng: np.random.Generator, h: int, w: int, colour: Image, scale: float) -> Image:
    x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    pitch = 1.7 * scale
    weave = np.sin(2 * np.pi * x / pitch) * np.sin(2 * np.pi * y / pitch)
    value = 1 + 0.035 * weave + 0.03 * _grain(rng, h, w, 2, 2) + 0.04 * _grain(rng, h, w, 120 * scale, 90 * scale)
    stripe = ((x / (46 * scale)) % 1 < 0.30).astype(np.float32) + ((y / (46 * scale)) % 1 < 0.30)
    return np.asarray(value[..., None] * (colour * (1 - 0.10 * stripe[..., None])))


def _white(rng: np.random.Generator, h: int, w: int, colour: Image, scale: float) -> Image:
    value = 1 + 0.006 * _grain(rng, h, w, 2, 2) + 0.012 * _grain(rng, h, w, 150 * scale, 120 * scale)
    return np.asarray(value[..., None] * colour)


_TEXTURES: dict[Surface, Callable[[np.random.Generator, int, int, Image, float], Image]] = {
    Surface.FELT: _felt,
    Surface.WOOD: _wood,
    Surface.CLOTH: _cloth,
    Surface.WHITE: _white,
}

#: Places (mm) in the table's corners that no zone of the standard tables uses.
_QUIET_CORNERS = [(52.0, 640.0), (50.0, 46.0), (846.0, 50.0)]
_CHIPS: list[Colour] = [(40, 30, 180), (150, 70, 30), (220, 222, 222), (40, 40, 40), (60, 130, 40)]


def _props(canvas: Image, rng: Random, view: View) -> None:
    corners = rng.sample(_QUIET_CORNERS, 2)
    _mug(canvas, view, corners[0])
    for _ in range(rng.randint(1, 3)):
        x, y = corners[1][0] + rng.uniform(-24, 24), corners[1][1] + rng.uniform(-20, 20)
        _chip(canvas, view, (x, y), rng.choice(_CHIPS), rng.uniform(0, 90))


def _disc(canvas: Image, view: View, centre: tuple[float, float], radius_mm: float, ink: Colour) -> None:
    x, y = project(view.matrix, [centre])[0] * 16
    radius = round(radius_mm * view.px_per_mm * 16)
    cv2.circle(canvas, (round(x), round(y)), radius, ink, -1, cv2.LINE_AA, 4)


def _shade_under(canvas: Image, view: View, centre: tuple[float, float], radius_mm: float) -> None:
    mask = np.zeros(canvas.shape[:2], np.uint8)
    x, y = project(view.matrix, [centre])[0] + 3 * view.px_per_mm
    cv2.circle(mask, (round(x), round(y)), round(radius_mm * view.px_per_mm), 140, -1)
    soft = cv2.GaussianBlur(mask, (0, 0), 5 * view.px_per_mm)
    canvas[:] = (canvas * (1 - soft[..., None] / 255)).astype(np.uint8)


def _mug(canvas: Image, view: View, centre: tuple[float, float]) -> None:
    _shade_under(canvas, view, centre, 40)
    _disc(canvas, view, centre, 37, (214, 220, 224))
    _disc(canvas, view, centre, 33, (160, 168, 172))
    _disc(canvas, view, centre, 32, (24, 38, 62))
    _disc(canvas, view, (centre[0] - 9, centre[1] - 11), 5, (46, 66, 92))


def _chip(canvas: Image, view: View, centre: tuple[float, float], ink: Colour, turn_deg: float) -> None:
    _shade_under(canvas, view, centre, 17)
    _disc(canvas, view, centre, 18, ink)
    for k in range(6):
        a = math.radians(turn_deg + 60 * k)
        _disc(canvas, view, (centre[0] + 14.5 * math.cos(a), centre[1] + 14.5 * math.sin(a)), 3.0, (226, 230, 230))
    _disc(canvas, view, centre, 11, tuple(min(255.0, c * 1.15 + 12) for c in ink))  # type: ignore[arg-type]

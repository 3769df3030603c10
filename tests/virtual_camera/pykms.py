"""Stands in for the display library that picamera2 imports; there is no display here, and nothing of it is called."""

from __future__ import annotations

from unittest.mock import MagicMock

PixelFormat = MagicMock()

"""A drawn table with a session script: everything but the camera and the pins.

The simulator draws what an overhead camera would see while people play: a pack of the project's own drawing, hands,
light and noise.  Only frames and presses leave it; it never asks the referee and never tells it a card.
"""

"""Lights, buttons, pool display: rulings to rhythm, colour, number and words."""

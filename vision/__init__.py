"""Pixels to "a card that reads 7H lies at (312, 140) mm". Knows no rules, no seats, no firmware."""

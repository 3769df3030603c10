"""Pixels to "a card that reads 7H lies at (312, 140) mm". Knows no rules, no seats, no firmware.

Nothing of a table leaves the house: onnxruntime 1.32 and later gives each machine a number, keeps a log of what was
run, and sends both to its maker, unless this is set before it is loaded (microsoft/onnxruntime #27379).
"""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

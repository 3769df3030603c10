"""What things cost, beside what people would use instead: ``python -m tests.bench``."""

import vision as vision  # first of all: it switches onnxruntime's telemetry off before anything here loads it

"""Weights are data: *.onnx with a model card. Training, export and evaluation live beside them."""

"""What the trainers are told: no mirror images, red stays red, and the words in the model files (field report F10)."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

MODELS = Path(__file__).resolve().parents[2] / "models"


def _constant(module: str, name: str) -> Any:
    """A literal assigned in a module, read without importing what the module imports."""
    for node in ast.parse((MODELS / module).read_text()).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(t, ast.Name) and t.id == name for t in targets):
            value = node.value
            if isinstance(value, ast.Dict):
                return {ast.literal_eval(k): _literal(v) for k, v in zip(value.keys, value.values, strict=True) if k}
            return ast.literal_eval(value)
    raise AssertionError(f"{module} has no {name}")


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def test_no_flips_and_hardly_any_hue() -> None:
    """F10: a mirrored 7 is no 7; and red must stay red."""
    settings = _constant("train.py", "FINDER_SETTINGS")
    assert settings["fliplr"] == settings["flipud"] == 0.0
    assert settings["hsv_h"] < 0.02
    assert settings["mosaic"] == settings["mixup"] == 0.0


def test_every_package_has_a_licence() -> None:
    """The model card names what was trained on; nothing comes in without a licence."""
    source = (MODELS / "synth" / "art.py").read_text()
    packages = [
        n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "Package"
    ]
    assert len(packages) > 20
    for package in packages:
        kind, name, version, licence = (ast.literal_eval(a) for a in package.args)
        assert licence, name
        assert version or kind == "deb", name


@pytest.mark.parametrize(
    ("file", "role"),
    [("index-finder.onnx", "finder"), ("index-reader.onnx", "index-reader"), ("card-reader.onnx", "card-reader")],
)
def test_the_model_files_carry_their_words(file: str, role: str) -> None:
    """F03, F09: order, size and channels travel inside the weights."""
    data = (MODELS / file).read_bytes()
    start = data.index(b'{"role"')
    words = json.loads(data[start : data.index(b"}", start) + 1])
    assert words["role"] == role
    assert words["channels"] == "RGB"
    assert words["range"] == [0, 1]


def test_the_models_are_small() -> None:
    """Together at most 4 MB."""
    assert sum(p.stat().st_size for p in MODELS.glob("*.onnx")) < 4_000_000


def test_the_model_card_names_these_very_files() -> None:
    """A newer model cannot hide behind an older card."""
    import hashlib

    card = (MODELS / "MODEL_CARD.md").read_text()
    for path in MODELS.glob("*.onnx"):
        assert hashlib.sha256(path.read_bytes()).hexdigest() in card, path.name

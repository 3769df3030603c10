#!/usr/bin/env bash
# Can a Raspberry Pi install us? Asks the registry, for 64-bit ARM and each Python that Raspberry Pi OS brings, whether
# every run-time dependency outside [pi] has a wheel, under the constraints that systemd/install.sh uses. Installs nothing.
#
#   tests/wheels.sh [PIP-COMMAND...]      default: python3 -m pip
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$#" -gt 0 ]; then pip=("$@"); else pip=(python3 -m pip); fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 - > "$scratch/wanted" <<'PYTHON'
import pathlib, tomllib
print(*tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]["dependencies"], sep="\n")
PYTHON

failed=0
for system in bookworm:3.11 trixie:3.13; do
  name=${system%:*} python=${system#*:}
  abi="cp3${python#3.}"
  if "${pip[@]}" install --dry-run --quiet --ignore-installed --report "$scratch/$name.json" \
    --target "$scratch/none" --only-binary=:all: --implementation cp --python-version "$python" \
    --abi "$abi" --abi abi3 --abi none --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
    --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
    -c "systemd/constraints-$name.txt" -r "$scratch/wanted" 2> "$scratch/$name.log"; then
    python3 - "$scratch/$name.json" "$name" "$python" <<'PYTHON'
import json, sys
report, name, python = sys.argv[1:]
items = json.load(open(report))["install"]
shown = {"numpy", "opencv-python-headless", "onnxruntime", "gpiozero"}
found = {i["metadata"]["name"].lower(): i["metadata"]["version"] for i in items}
wheels = all(i["download_info"]["url"].endswith(".whl") for i in items)
numpy = int(found["numpy"].split(".")[0])
assert wheels, "not every one is a wheel"
assert numpy == {"bookworm": 1, "trixie": 2}[name], f"numpy {numpy}.x breaks {name}'s own picamera2 (field report B10)"
print(f"{name} (Python {python}, aarch64): {len(items)} wheels:", *(f"{n} {found[n]}" for n in sorted(shown)))
PYTHON
  else
    echo "$name (Python $python, aarch64): no set of wheels:" >&2
    tail -n 5 "$scratch/$name.log" >&2
    failed=1
  fi
done
exit "$failed"

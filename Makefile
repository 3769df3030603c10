# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Each sets up its own virtual environment; nothing else on the machine is touched.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TRAIN := .venv-train
SHARED ?= ../shared

.PHONY: help demo test slow oldest lint format types imports docs soak memory bench counts mutants arm64 virtual-camera train-env dataset train train-finder train-readers \
  export evaluate bench-yolo club-hall club-storm rejudge-cluster clean

help:  ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.run  ## a whole game refereed from drawn pictures to lights, in about a minute
	$(BIN)/cardtable demo

test: $(VENV)/.dev  ## the quick tests on every core: a minute and a half with two
	$(BIN)/python -m pytest -q -n auto -m "not slow"

slow: $(VENV)/.ci  ## the slower checks: recordings, photographs, kills, browsers (a quarter of an hour)
	$(BIN)/python -m pytest -q -m slow

oldest:  ## reader, tracker and journal on what Raspberry Pi OS bookworm brings: numpy 1.26, OpenCV 4.9
	test -d .venv-oldest || $(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install -q --disable-pip-version-check -e '.[dev]' 'numpy==1.26.*' 'opencv-python-headless==4.9.*'
	.venv-oldest/bin/python -m pytest -q -m "not slow" tests/vision tests/simulator tests/test_demo.py

lint: $(VENV)/.dev  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev  ## put the code into the house's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.dev  ## mypy --strict
	$(BIN)/mypy

imports: $(VENV)/.dev  ## imports run one way
	$(BIN)/lint-imports

docs: $(VENV)/.dev  ## the pages that are made from the code, made again
	$(BIN)/python -m firmware.panel.pages docs
	$(BIN)/python -m firmware.catalogue
	for game in $$($(BIN)/python -c 'from firmware.referee.match import games; print(*games())'); do \
	  $(BIN)/cardtable rulebook $$game > docs/games/$$game.md; done

soak: $(VENV)/.dev  ## 200 short simulated sessions with every hardship, watched and scored (an hour)
	$(BIN)/python -m tests.soak --sessions 200
	$(BIN)/python -m tests.soak --sessions 60 --unseen --kept build/soak-unseen.jsonl

memory: $(VENV)/.dev  ## an hour of video: does memory stay flat? (ten minutes)
	$(BIN)/python -m tests.memory --hours 1

bench: $(VENV)/.dev  ## ours side by side with what people would use instead, as docs/bench.md (eight minutes on two idle cores)
	test -d .venv-bench || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install -q --disable-pip-version-check open_spiel rlcard pyperformance || echo 'they are left out'
	$(BIN)/python -m tests.bench

counts: $(VENV)/.dev  ## what must not grow: counts of work that no machine changes
	$(BIN)/python -m tests.bench.counts

club-hall: $(VENV)/.ci  ## a hundred simulated tables for two minutes on a real Mosquitto: messages, delay, CPU
	$(BIN)/python -m tests.bench.club_hall 100 120

club-storm: $(VENV)/.ci  ## the same with the broker killed three times and the network cut twice: every counter is there
	$(BIN)/python -m tests.bench.club_hall 100 120 --storm

rejudge-cluster: $(VENV)/.ci  ## an archive judged again by one process and by two workers, one of them killed
	$(BIN)/python -m tests.bench.rejudge_cluster

mutants: $(VENV)/.dev  ## change the rules one place at a time: does a test notice? (resumable, about an hour)
	$(BIN)/python -m tests.mutants

arm64:  ## the pure and panel tests under emulated arm64 (a quarter of an hour on a busy machine)
	tests/arm64.sh

virtual-camera:  ## nightly: our camera code over the real picamera2 and libcamera, in a Debian 13 (root, ten minutes)
	tests/virtual_camera.sh

# Training has an environment of its own: Ultralytics brings another OpenCV that must not share one with ours.
WORK ?= build/train
MINUTES ?= 75
PHOTOS ?= ../shared/photos

train-env:  ## the training environment: a CPU torch, Ultralytics without its dependencies, 1.5 GB
	test -d $(TRAIN) || $(PYTHON) -m venv $(TRAIN)
	$(TRAIN)/bin/python -m pip install -q 'torch==2.13.0'
	$(TRAIN)/bin/python -m pip install -q --no-deps ultralytics ultralytics-thop
	$(TRAIN)/bin/python -m pip install -q numpy opencv-python pillow pyyaml requests psutil onnx onnxruntime matplotlib

dataset: train-env  ## packs, scenes and crops for training, from packages by name and version
	$(TRAIN)/bin/python -m models.synth --work $(WORK)

train: train-env  ## finder and readers side by side on two cores, an hour and three quarters; goes on where it was stopped
	$(MAKE) -j 2 train-finder train-readers

train-finder:
	$(TRAIN)/bin/python -m models.train finder --work $(WORK) --minutes $(MINUTES)

train-readers:  # the networks at hand place the indices of photos/train, where it is there
	$(TRAIN)/bin/python -m models.train photos --work $(WORK) --photos $(PHOTOS)
	$(TRAIN)/bin/python -m models.train reader --work $(WORK) --minutes 100

export: train-env  ## the checkpoints as ONNX, with all that the readers must know inside
	$(TRAIN)/bin/python -m models.export --work $(WORK)

bench-yolo: train-env  ## the detector that ours is compared with, trained for an hour on the same data
	$(TRAIN)/bin/python -m models.baseline data --work $(WORK) --photos $(PHOTOS)
	$(TRAIN)/bin/python -m models.baseline train --work $(WORK) --minutes 60
	$(TRAIN)/bin/python -m models.baseline export --work $(WORK)

evaluate: train-env  ## temperature, threshold, and the tables of the model card
	$(TRAIN)/bin/python -m models.evaluate calibrate --write --work $(WORK) --photos $(PHOTOS)
	$(TRAIN)/bin/python -m models.evaluate scenes --work $(WORK)
	$(TRAIN)/bin/python -m models.evaluate families --work $(WORK)
	$(TRAIN)/bin/python -m models.evaluate photos --split check --photos $(PHOTOS)
	$(TRAIN)/bin/python -m models.evaluate speed --work $(WORK)
	$(TRAIN)/bin/python -m models.evaluate int8 --work $(WORK)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
	  { echo "Python 3.11, 3.12 or 3.13 is wanted: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.ci: pyproject.toml | $(VENV)/.dev
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev,ci,club]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.run

clean:  ## remove what was built here
	rm -rf $(VENV) .venv-oldest .venv-bench $(TRAIN) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

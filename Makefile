# Two commands do all set-up: `make up` runs the product, `make test` proves it. Both need Python 3.11 or newer.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
HERMES_VENV = .venv-hermes
# The real Hermes lives in an environment of its own; its pins are not ours to constrain.
HERMES = hermes-agent[firecrawl,mcp]==0.19.0
CONSTRAINTS = .ci/constraints.txt
PROTOS = $(wildcard protos/sourcecorpus/*/v1/*.proto)
# The constraints hold for build dependencies too, so that a build tomorrow is the build of today.
PIP = PIP_CONSTRAINT=$(CURDIR)/$(CONSTRAINTS) $(BIN)/pip --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help up test install protos format format-check lint proto-check types unit install-check process-tests \
	hermes-venv sample baseline bench bench-citations bench-store bench-path bench-quality bench-search fuzz-search fuzz-find bench-redaction bench-extraction bench-hermes clean

help: ## List the targets.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /: /' | sort

$(VENV)/.run-time: pyproject.toml $(CONSTRAINTS) $(PROTOS) protos/codegen.py
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --editable '.[all]'
	@touch $@

$(VENV)/.development: $(VENV)/.run-time
	$(PIP) install --quiet --editable '.[dev]'
	@touch $@

up: $(VENV)/.run-time ## Start both services; on first start load a small sample game.
	$(BIN)/source-corpus up

install: $(VENV)/.development ## Make the virtual environment with everything that tests need.

test: install format-check lint proto-check types unit install-check process-tests ## Run every check and every test.

protos: install ## Generate the modules of the contract after a change of a .proto file.
	$(BIN)/python protos/codegen.py

format: install ## Format code and contract.
	$(BIN)/ruff format .
	$(BIN)/buf format -w protos

format-check: install
	$(BIN)/ruff format --check .
	$(BIN)/buf format -d --exit-code protos

lint: install
	$(BIN)/ruff check .
	$(BIN)/buf lint

proto-check: install
	$(BIN)/buf breaking --against protos/baseline.binpb

types: install
	$(BIN)/mypy -p capture_service -p corpus_service -p sourcecorpus.rpc -p sourcecorpus.identity -p sourcecorpus.bridge -p sourcecorpus.hermes
	$(BIN)/mypy protos/codegen.py

unit: install
	$(BIN)/python -m pytest -m 'not process' -q

# Each extra has to bring what its part imports, and the bare distribution what a client imports.
install-check:
	@rm -rf build
	for extra in bridge capture corpus; do \
		rm -rf build/extra && $(PYTHON) -m venv build/extra && \
		PIP_CONSTRAINT=$(CURDIR)/$(CONSTRAINTS) build/extra/bin/pip --disable-pip-version-check install --quiet ".[$$extra]" && \
		(cd build && extra/bin/python -I ../tests/packaging/import_part.py $$extra) || exit 1; \
	done

process-tests: install hermes-venv
	$(BIN)/python -m pytest -m process -q

$(HERMES_VENV)/.installed: Makefile
	$(PYTHON) -m venv $(HERMES_VENV)
	$(HERMES_VENV)/bin/pip --disable-pip-version-check install --quiet '$(HERMES)'
	@touch $@

hermes-venv: $(HERMES_VENV)/.installed ## Install the real Hermes beside the product.

sample: install hermes-venv ## Record the bundled sample game anew with the real Hermes.
	$(BIN)/python tests/e2e/hermes/make_sample.py

bench: bench-path bench-citations bench-redaction bench-extraction bench-hermes ## Run the benchmarks; each prints JSON with ratios.

bench-path: install ## The whole way and single calls against their floors, in one run.
	$(BIN)/python -m bench.path.run

bench-citations: install ## Resolving refs beside an empty call, quotations against versions of 1 MB.
	$(BIN)/python -m bench.citations.run

bench-store: install ## The store in process against the floor program; CORPUS=FILE of documents.
	$(BIN)/python -m bench.store.run --corpus $(CORPUS) --mid --workers 2

bench-quality: install ## Known-item retrieval against FTS5 and tantivy; PACKAGES=FOLDER keeps Debian packages (needs apt-get).
	$(BIN)/python -m bench.quality.build --packages $(PACKAGES) --out $(PACKAGES)/built
	$(BIN)/python -m bench.quality.run --corpus $(PACKAGES)/built/corpus.jsonl --queries $(PACKAGES)/built/queries.jsonl --words

bench-search: install ## Searches over gRPC against plain FTS5; CORPUS=FILE of bench-quality, FOLDER=FOLDER keeps the stores.
	$(BIN)/python -m bench.search.run --corpus $(CORPUS) --folder $(FOLDER) --chunks 100000

fuzz-search: install ## 100,000 random and hostile queries against a store.
	SOURCECORPUS_TEST_HOSTILE_QUERIES=100000 $(BIN)/python -m pytest tests/search/test_hostile_queries.py -q

fuzz-find: install ## 100,000 random and hostile literals and expressions against the lines of a store.
	SOURCECORPUS_TEST_HOSTILE_FINDS=100000 $(BIN)/python -m pytest tests/retrieval/test_hostile_finds.py -q

bench-redaction: install ## Speed of the redactor on ordinary, dense and hostile texts.
	$(BIN)/python -m bench.redaction.run

bench-extraction: install ## Speed and memory of text extraction by kind.
	$(BIN)/python -m bench.extraction.run --megabytes 20

bench-hermes: install hermes-venv ## What the plugin costs the real Hermes, whatever the sidecar does; needs the right to mount.
	@rm -rf build/hermes-home && mkdir -p build/hermes-home
	$(BIN)/source-corpus hermes install --home build/hermes-home
	for state in running absent dead full; do \
		echo "sidecar $$state"; \
		$(HERMES_VENV)/bin/python bench/hermes/hook_cost.py --plugin build/hermes-home/plugins/source-corpus --sidecar $$state || exit 1; \
	done

baseline: install ## Commit to the contract: later changes are checked against this image.
	$(BIN)/buf build -o protos/baseline.binpb

clean: ## Remove the virtual environments and everything generated; corpora are not touched.
	rm -rf $(VENV) .venv-hermes build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find protos -name '*_pb2*' -delete

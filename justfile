# One task for each word; `just` alone lists them. Without just on the machine: .venv/bin/just

python := ".venv/bin/python"

_list:
    @{{ just_executable() }} --list --unsorted

# Run the service on http://127.0.0.1:8000
serve *options:
    bin/foreknow serve {{ options }}

# Run the web client on http://127.0.0.1:5173 for changing it; `just serve` beside it answers
web: _dev
    bin/npm run dev

# Build the web client into src/foreknow/site/client/dist, as bin/setup and a wheel do
web-build: _dev
    {{ python }} hatch_build.py

# Check the web client: types, style, and tests of what it computes
web-check: _dev
    bin/npm run check
    bin/npm run lint
    bin/npm test

# Take the README's picture of a running demo
picture *address: _dev
    {{ python }} bin/write_picture.py {{ address }}

# Run the tests in a browser
web-test *arguments:
    bin/test tests/browser {{ arguments }}

# Run every test, PostgreSQL included
test *arguments:
    bin/test {{ arguments }}

# Run every test in its long form, all on both databases: more examples, longer random runs, every real market
long *arguments:
    bin/test --long {{ arguments }}

# Run what a change of a package needs, on SQLite, in a minute: `just quick trading/desk`, or of what is changed
quick *arguments:
    bin/test --quick {{ arguments }}

# Run the benchmarks; docs/performance.md has the figures
bench *arguments: _dev
    {{ python }} -m bench {{ arguments }}

# Cause kills, power cuts and faults of disks and databases; docs/reliability.md has the figures
faults *arguments: _dev
    {{ python }} -m faults {{ arguments }}

# Bring the database up to date
migrate:
    bin/foreknow migrate

# Write a draft migration to the declared tables, under the next free number: just migration NUMBER "Add a table"
migration number message: _dev
    bin/migration {{ number }} "{{ message }}"

# Audit the books
audit:
    bin/foreknow audit

# List the lines of the contract that no test proves
unproven: _dev
    {{ python }} -m tests.contract.unproven

# List the words of the contract that several tests prove, with their cost: after bin/test --cpu-file TIMES
proofs times: _dev
    {{ python }} -m tests.contract.proved_often {{ times }}

# List again which tests only repeat what others send PostgreSQL: after many tests were added
repeats *arguments: _dev
    {{ python }} -m tests.repeats {{ arguments }}

# Try small changes of the source that tests must notice: just mutants --area book, or --only 26..50
mutants *arguments: _dev
    {{ python }} -m tests.mutants {{ arguments }}

# Make mutants of source lines and try them: just made-mutants money/ledger, --sample 300, or --changed main
made-mutants *arguments: _dev
    {{ python }} -m tests.mutants.made {{ arguments }}

# Open the API's pages, which the running service serves
docs:
    {{ python }} -m webbrowser http://127.0.0.1:8000/docs

# Write docs/openapi.json and docs/asyncapi.json, and what follows in the docs and both clients
openapi: _dev && client
    {{ python }} bin/write_openapi.py
    {{ python }} bin/write_asyncapi.py
    {{ python }} bin/write_notifications.py
    bin/npm run api

# Write only the Python client's modules that follow from docs/openapi.json and docs/asyncapi.json
client: _dev
    {{ python }} -m clients.python.generator

# Look up every locked version in an advisory database; needs a network
[no-exit-message]
audit-dependencies *options: _dev
    {{ python }} bin/audit_dependencies.py {{ options }}

# Write docs/licences.md, after a change of the locks
licences: _dev
    {{ python }} bin/write_licences.py

# Write the icons of the installed client, from the shapes of its mark
icons: _dev
    {{ python }} bin/write_icons.py

# Write the API page's Swagger UI, of the pinned version or of another one; needs a network
swagger *version: _dev
    {{ python }} bin/write_swagger.py {{ version }}

# Write the client's fonts; needs a network
fonts: _dev
    .venv/bin/uv run --no-project bin/write_fonts.py

# Run the hooks before every commit
hooks: _dev
    .venv/bin/prek install

# Write the locks from pyproject.toml; `just lock --upgrade` takes the newest versions
lock *options: _dev
    .venv/bin/uv pip compile {{ lock_options }} {{ options }} --group dev --output-file requirements/dev.txt
    .venv/bin/uv pip compile {{ lock_options }} {{ options }} --group build --constraint requirements/dev.txt --output-file requirements/runtime.txt

# One lock for every supported Python, with hashes, without the address of an index.
lock_options := "--quiet pyproject.toml --universal --python-version 3.11 --generate-hashes --no-annotate --no-header"

_dev:
    @bin/setup dev

# Everything a person or CI runs. All that is made goes to bin/ and build/.

SOURCES  = find . -name '*.go' -not -path './build/*' -not -path './third_party/*'
E2E      = fixtures/e2e
FUZZTIME = 30s

# npm and pip keep their caches inside the checkout too.
export npm_config_cache    = $(CURDIR)/build/npm-cache
export PIP_CACHE_DIR       = $(CURDIR)/build/pip-cache
export npm_config_fund     = false
export npm_config_audit    = false
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: build demo test check e2e e2e-all bench fuzz clean

# Every wrapped server waits for the start of reprise: on Linux a static program saves the dynamic linker's
# millisecond where the C compiler can make one, and the tags leave out what nothing uses.
TAGS   = netgo,osusergo,sqlite_omit_load_extension,urfave_cli_no_docs
STATIC = $(shell test "$$(uname)" = Linux && echo 'int main(void){return 0;}' | \
	$$(go env CC) -xc -static -o /dev/null - 2>/dev/null && echo '-linkmode=external -extldflags=-static')

build:
	@echo "== build bin/reprise"
	@go build -tags $(TAGS) -ldflags "-s -w $(STATIC)" -o bin/reprise ./cmd/reprise

# The main job on an embedded server. Its database stays in build/demo.
demo: build
	@rm -rf build/demo && mkdir -p build/demo
	@REPRISE_DB=$(CURDIR)/build/demo/reprise.db bin/reprise demo

test: check e2e

check:
	@echo "== gofmt"
	@unformatted=$$($(SOURCES) -exec gofmt -l {} +); test -z "$$unformatted" || { echo "$$unformatted"; exit 1; }
	@echo "== go mod tidy"
	@go mod tidy -diff
	@echo "== layers"
	@go test -run Layers .
	@echo "== go vet"
	@go vet ./...
	@echo "== go vet for windows and darwin, without cgo"
	@CGO_ENABLED=0 GOOS=windows go vet ./...
	@CGO_ENABLED=0 GOOS=darwin go vet ./...
	@echo "== staticcheck"
	@go tool staticcheck ./...
	@echo "== go test -race"
	@go test -race -timeout 20m ./...

# Every real client with every real server through bin/reprise, and the hosts' ways to kill.
E2E_TEST = REPRISE_E2E=1 REPRISE_BIN=$(CURDIR)/bin/reprise go test -v -timeout 60m ./$(E2E)

e2e: build build/npm.done build/hosts.done build/pip.done
	@echo "== e2e: real programs"
	@$(E2E_TEST) -count=1
	@echo "== e2e: a flood of 1 GiB, and a database that is locked for a minute"
	@REPRISE_E2E=1 REPRISE_HOLD=60s REPRISE_BIN=$(CURDIR)/bin/reprise go test -v -count=1 -run 'TestHostStopsReading|TestTwentyProxies' ./cmd/reprise

# The same ten times over, for what shows itself rarely.
e2e-all: build build/npm.done build/hosts.done build/pip.done
	@echo "== e2e: real programs, ten times"
	@$(E2E_TEST) -count=10

# Where npm or python3 is missing the tests that need it say so and are skipped.
define npm-ci
	@mkdir -p $(basename $@)
	@if command -v npm >/dev/null; then \
		echo "== npm packages: $(notdir $(basename $@))"; \
		cp $^ $(basename $@)/ && npm ci --prefix $(basename $@) --ignore-scripts --loglevel=error && touch $@; \
	else echo "== npm is missing"; fi
endef

build/npm.done: $(E2E)/package.json $(E2E)/package-lock.json $(E2E)/.npmrc
	$(npm-ci)

# The agent hosts, 1.1 GB. One that npm does not have for this system is left out.
build/hosts.done: $(E2E)/hosts/package.json $(E2E)/hosts/package-lock.json $(E2E)/.npmrc
	$(npm-ci)

build/pip.done: $(E2E)/requirements.txt
	@mkdir -p build
	@if command -v python3 >/dev/null; then \
		echo "== PyPI packages"; \
		python3 -m venv --clear build/venv && build/venv/bin/pip install --quiet -r $< && touch $@; \
	else echo "== python3 is missing"; fi

# Speed against a plain byte copy. make bench ARGS="-json build/bench.json"
bench: build
	@go build -o build/bench/ ./fixtures/cmd/fixture ./fixtures/cmd/bench
	@build/bench/bench -reprise bin/reprise -fixture build/bench/fixture -dir build/bench $(ARGS)

fuzz:
	@for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "== $$target for $(FUZZTIME)"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package || exit 1; \
		done; \
	done

clean:
	@rm -rf bin build

#!/bin/sh
# Starts the service in little memory: `npm start`, the systemd unit and the image use this file, and only it has these settings. What each brings and
# costs is in docs/performance.md. Without them, `node bin/almanac.js` is faster and takes twice the memory.

# one heap of malloc for all threads, which gives back what it does not use
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"

# V8 collects when a quarter was added to what is alive
exec node --max-semi-space-size=8 --heap-growing-percent=25 "$(dirname "$0")/../bin/almanac.js" "$@"

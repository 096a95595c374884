#!/bin/sh
# Starts the service: `npm start`, the systemd unit and the image use this file, and only it has settings of memory. MEMORY says how much memory is
# given for speed: small, normal (for a machine of 512 MB) or large. What each costs is in docs/operations.md.

MEMORY="${MEMORY:-normal}"
case "$MEMORY" in
# V8 collects when so many percent were added to what is alive
small) heap="--max-semi-space-size=4 --heap-growing-percent=25" ;;
normal) heap="--max-semi-space-size=8 --heap-growing-percent=50" ;;
large) heap="--max-semi-space-size=16" ;;
*)
    echo "MEMORY=$MEMORY is unknown: it is small, normal or large" >&2
    exit 2
    ;;
esac

# one heap of malloc for all threads, which gives back what it does not use
if [ "$MEMORY" != large ]; then
    export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
    export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
fi

# without pretenuring: V8 takes what 32 requests at once hold for a moment as lasting, puts such objects among the old ones from then on, and fills these
exec node $heap --no-allocation-site-pretenuring "$(dirname "$0")/../bin/almanac.js" "$@"

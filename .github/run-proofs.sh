#!/usr/bin/env bash
# Runs one shard of the proofs in test/prove/ci.txt: run-proofs.sh SHARD SHARDS, counting from 1.
# The proofs are dealt out in turn; all of a shard run even when one fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly shard=$1 shards=$2
# A hung proof must not use up the time of the others; .ci/run has the same limit.
readonly limit_seconds=150

position=0
failed=()
while read -r proof options; do
  case "$proof" in '' | '#'*) continue ;; esac
  position=$((position + 1))
  if [ $(((position - 1) % shards + 1)) -ne "$shard" ]; then continue; fi
  printf '== proof %s\n' "$proof"
  # shellcheck disable=SC2086 # options are words
  timeout --kill-after=10 "$limit_seconds" npm run --silent prove -- "$proof" $options </dev/null ||
    failed+=("$proof")
done <test/prove/ci.txt

if [ "${#failed[@]}" -ne 0 ]; then
  printf 'failed: %s\n' "${failed[*]}"
  exit 1
fi

#!/usr/bin/env bash
# Prints the section of one version from a changelog: release-notes.sh VERSION [FILE].
# Fails if the section is missing or empty: a release without notes is a mistake.
set -euo pipefail

readonly version=$1 file=${2:-CHANGELOG.md}

# The command substitution drops the blank lines at the end, the parameter expansion those at the start.
notes=$(
  awk -v heading="## [$version]" '
    /^## / { inside = index($0, heading) == 1; next }
    # Link definitions at the end of the file belong to no version.
    /^\[[^]]+\]: / { inside = 0 }
    inside
  ' "$file"
)
notes=${notes#"${notes%%[![:space:]]*}"}

if [ -z "$notes" ]; then
  printf '%s has no notes for %s\n' "$file" "$version" >&2
  exit 1
fi
printf '%s\n' "$notes"

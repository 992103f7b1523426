#!/usr/bin/env bash
# Writes what a package has beside its programs: man pages, completions, copyright and changelog.
#
#   tools/package/documents.sh NSOP FOLDER MAINTAINER
#
# NSOP is the program, beside it nsop-worker and nsop-adapter. FOLDER becomes a copy of /usr/share. There is a page for each program and each verb, made by help2man
# of what --help says; the verbs are those that `nsop --help` lists. SOURCE_DATE_EPOCH: the date of all
# that (default: now). Exit 1: a page or a completion could not be made.
set -euo pipefail
nsop=$(realpath "$1")
folder=$2
maintainer=$3
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
version=$("$nsop" --version)
stubs=$(mktemp -d)
trap 'rm -rf "$stubs"' EXIT
export LC_ALL=C TZ=UTC

rm -rf "$folder"
mkdir -p "$folder/man/man1" "$folder/bash-completion/completions" "$folder/zsh/vendor-completions" \
  "$folder/fish/vendor_completions.d" "$folder/lintian/overrides"

# A page of a command: its name, what it is in one line, sections to add, the command itself.
page() {
  local name=$1 what=$2 include=$3
  shift 3
  # help2man takes the name of a page from that of the program.
  printf '#!/bin/sh\nexec%s "$@"\n' "$(printf " '%s'" "$@")" >"$stubs/$name"
  chmod +x "$stubs/$name"
  help2man --no-info --no-discard-stderr --section=1 --name="$what" --version-string="$version" --source="nsop $version" \
    --manual="nsop" --include="$include" --output="$folder/man/man1/$name.1" "$stubs/$name"
}

# Verbs of a command as `NAME<tab>HELP`, from its own list.
verbs_of() {
  "$@" --help | awk '
    /^Subcommands:/ { listed = 1; next }
    /^[^ ]/ { listed = 0 }
    listed && /^  [^ ]/ {
      if (name) print name "\t" help
      name = $1; help = $0; sub(/^ +[^ ]+ */, "", help); next
    }
    listed && /^   / { more = $0; sub(/^ +/, "", more); help = (help ? help " " : "") more }
    END { if (name) print name "\t" help }'
}

# The pages of the verbs of a command, and of theirs.
pages_of_verbs() {
  local name=$1 verb what
  shift
  while IFS=$'\t' read -r verb what; do
    page "$name-$verb" "$what" "$here/verb.h2m" "$@" "$verb"
    pages_of_verbs "$name-$verb" "$@" "$verb"
  done < <(verbs_of "$@")
}

page nsop "measure, judge and report performance" "$here/nsop.h2m" "$nsop"
pages_of_verbs nsop "$nsop"
page nsop-worker "the operations of nsop" "$here/program.h2m" "$(dirname "$nsop")/nsop-worker"
page nsop-adapter "benchmarks of other programs for nsop" "$here/program.h2m" "$(dirname "$nsop")/nsop-adapter"
gzip -9n "$folder"/man/man1/*.1

"$nsop" completion bash >"$folder/bash-completion/completions/nsop"
"$nsop" completion zsh >"$folder/zsh/vendor-completions/_nsop"
"$nsop" completion fish >"$folder/fish/vendor_completions.d/nsop.fish"

for package in nsop libnsop-dev; do
  mkdir -p "$folder/doc/$package"
  cp "$here/copyright" "$folder/doc/$package/copyright"
  # In the form that Debian's tools read.
  printf 'nsop (%s) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' "$version" \
    "What changed is in /usr/share/doc/nsop/CHANGELOG.md.gz of the package nsop." "$maintainer" \
    "$(date --utc --rfc-email --date="@${SOURCE_DATE_EPOCH:-$(date +%s)}")" |
    gzip -9nc >"$folder/doc/$package/changelog.gz"
done
gzip -9nc "$source/CHANGELOG.md" >"$folder/doc/nsop/CHANGELOG.md.gz"
cp "$here/nsop.lintian-overrides" "$folder/lintian/overrides/nsop"
find "$folder" -type d -exec chmod 755 {} +
find "$folder" -type f -exec chmod 644 {} +

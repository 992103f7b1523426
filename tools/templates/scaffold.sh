#!/usr/bin/env bash
# What tools/new_op and tools/new_layer share; sourced by them. They set `tool` (their name), `here`
# (the folder tools) and `root` (the checkout that is written to).
: "${tool:?}" "${here:?}" "${root:?}"

fail() { # message: exit 2
  echo "$tool: $1; nothing was written" >&2
  exit 2
}

require_snake_case() { # name, what comes behind it in the usage
  [[ $1 =~ ^[a-z][a-z0-9]*(_[a-z0-9]+)*$ ]] && return
  echo "usage: tools/$tool NAME $2; '$1' is not snake_case like batch_norm" >&2
  exit 2
}

# Every op that is registered has lines in check_cases.txt; a test sees to that.
require_new_op() { # name
  local line
  line=$(grep -nm1 -E "^$1( |\$)" "$root/reference/check_cases.txt") || return 0
  fail "'$1' is an op already (reference/check_cases.txt:${line%%:*})"
}

# The name may not be taken by a file of any room, which would say the same word for something else.
require_no_file() { # file of the checkout or pattern...
  local file
  for file in "$@"; do
    [[ ! -e $root/$file ]] || fail "$file exists"
  done
}

write_files() { # name, template=file...
  local name=$1 type_name pair
  type_name=$(awk -F_ '{for (i = 1; i <= NF; i++) printf "%s%s", toupper(substr($i, 1, 1)), substr($i, 2)}' <<<"$name")
  shift
  for pair in "$@"; do
    sed "s/@name@/$name/g; s/@Name@/$type_name/g" "$here/templates/$tool/${pair%%=*}" >"$root/${pair#*=}"
    if command -v clang-format-14 >/dev/null; then # the length of the name moves line breaks
      clang-format-14 -i --style=file:"$here/../.clang-format" "$root/${pair#*=}"
    fi
    echo "wrote ${pair#*=}"
  done
}

add_check_line() { # line
  echo "$1" >>"$root/reference/check_cases.txt"
  echo "added a line to reference/check_cases.txt"
}

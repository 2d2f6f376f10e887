# shellcheck shell=bash
# Sourced by ./adit and ./test: installs missing packages, unless that needs a password.
# ADIT_NO_INSTALL=1 prevents it.

say() { printf 'adit: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command as root if that needs no password.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif have sudo && sudo -n true 2>/dev/null; then sudo -n "$@"
    else return 1
    fi
}

# Prints the name of the system's package manager, or nothing if it is unknown.
manager() {
    local name
    for name in brew apt-get dnf pacman zypper apk; do
        if have "$name"; then echo "$name"; return; fi
    done
}

# Installs the given packages with the system's package manager.
install() {
    [ -z "${ADIT_NO_INSTALL:-}" ] || return 1
    say "installing $* (set ADIT_NO_INSTALL=1 to prevent this)"
    case $(manager) in
        brew) brew install "$@" ;;
        apt-get) as_root apt-get install -y "$@" || { as_root apt-get update && as_root apt-get install -y "$@"; } ;;
        dnf) as_root dnf install -y "$@" ;;
        pacman) as_root pacman -Sy --noconfirm --needed "$@" ;;
        zypper) as_root zypper --non-interactive install "$@" ;;
        apk) as_root apk add "$@" ;;
        *) return 1 ;;
    esac >&2
}

#!/bin/sh
# Installs Debian packages: install-system.sh PACKAGE...
# Needs root, or sudo without a password; otherwise names the packages and exits with status 1.
set -u

if [ "$(id -u)" -eq 0 ]; then
	as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	as_root="sudo -n"
else
	as_root=none
fi

if [ "$as_root" = none ] || ! command -v apt-get >/dev/null; then
	echo "Missing packages, and no permission to install them: $*" >&2
	exit 1
fi

echo "Installing $*" >&2
export DEBIAN_FRONTEND=noninteractive
{ $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends "$@"; } >&2 && exit 0
echo "Could not install: $*" >&2
exit 1

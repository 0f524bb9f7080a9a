# Installs the Debian packages that building needs; sourced by quickstart.sh and test.sh.
#
#   need_packages PACKAGE...    installs those that are missing; says so; fails with the command to run when it cannot

need_packages() {
  missing=""
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  echo "== Installing Debian packages:$missing"
  sudo=""
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
      echo "error: these packages are missing and need root to install. Run as root:" >&2
      echo "  apt-get install --no-install-recommends$missing" >&2
      return 1
    fi
    sudo="sudo"
  fi
  $sudo apt-get update -qq || return 1
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null || {
    echo "error: apt-get could not install:$missing" >&2
    return 1
  }
}

build_packages="g++ cmake ninja-build ccache pkg-config libdnnl-dev libhwy-dev libeigen3-dev libprotobuf-dev protobuf-compiler
  libleveldb-dev libcsv-dev zlib1g-dev libzstd-dev libsqlite3-dev libjpeg-dev libpng-dev libgif-dev libcli11-dev nlohmann-json3-dev libre2-dev libfarmhash-dev libicu-dev
  libxgboost-dev"

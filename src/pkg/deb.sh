# Debian packages of a source tarball, made as Debian makes them.
#
# usage: deb.sh TARBALL OUT-FOLDER
set -eu

tarball=${1:?the source tarball}
out=${2:?where the packages go}
for tool in dpkg-buildpackage dh; do
	command -v "$tool" >/dev/null || {
		echo "$tool is missing; on Debian: apt install dpkg-dev debhelper" >&2
		exit 1
	}
done
mkdir -p "$out"
out=$(cd "$out" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# One folder name, whatever the version's: paths reach debugging symbols.
mkdir "$work/stepscope"
tar -xf "$tarball" -C "$work/stepscope" --strip-components=1
cd "$work/stepscope"
cp -r src/pkg/debian debian
awk -f src/pkg/changelog.awk NEWS >debian/changelog
dpkg-buildpackage -b -us -uc -j"$(nproc)" >"$work/log" 2>&1 || {
	tail -n 40 "$work/log" >&2
	exit 1
}
if command -v lintian >/dev/null; then
	lintian --allow-root --fail-on error,warning "$work"/*.changes
fi
cp "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$out"
ls "$out"

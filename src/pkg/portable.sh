# One folder that runs wherever it is unpacked: the installed program, its data, and
# the C library it was built with, whatever the machine has.
#
# usage: portable.sh INSTALLED-PREFIX NAME    makes NAME.tar.xz here
set -eu

prefix=$(cd "${1:?where the program was installed}" && pwd -P)
name=${2:?the name of the folder}
program=$prefix/bin/stepscope
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

folder=$work/$name
mkdir -p "$folder/lib" "$folder/share"
cp -r "$prefix/share/stepscope" "$prefix/share/man" "$folder/share"
cp "$program" "$folder/lib/stepscope"
# `name => path (address)` for each library, `path (address)` for the loader.
LD_LIBRARY_PATH=$prefix/lib ldd "$program" | awk '$3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }' |
	while IFS= read -r library; do
		cp -L "$library" "$folder/lib"
	done
loader=$(basename "$(ls "$folder"/lib/ld-*)")
strip --strip-unneeded "$folder"/lib/stepscope "$folder"/lib/libstepscope.so.* 2>/dev/null || :
cat >"$folder/stepscope" <<SH
#!/bin/sh
here=\$(dirname "\$(readlink -f "\$0")")
exec "\$here/lib/$loader" --library-path "\$here/lib" "\$here/lib/stepscope" "\$@"
SH
chmod +x "$folder/stepscope"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime='2000-01-01 UTC' -C "$work" -cJf "$name.tar.xz" "$name"
ls "$name.tar.xz"

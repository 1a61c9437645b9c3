# The packages of FOLDER in a bare Debian 12: they install with what they name,
# the program and its manual work, and a purge leaves nothing. Needs root,
# debootstrap and Debian's packages within reach.
#
# usage: deb.sh FOLDER
. "${top_srcdir:=.}/tests/tap.sh"

packages=$(cd "${1:?the folder of the packages}" && pwd -P)
bare=$tap_dir/bare

inside()
{
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
		TERM=xterm HOME=/root chroot "$bare" "$@"
}

bare_debian_is_made()
{
	debootstrap --variant=minbase --include=man-db bookworm "$bare" \
		"${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$tap_dir/debootstrap.log" 2>&1 || {
		tail -n 5 "$tap_dir/debootstrap.log"
		return 1
	}
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$bare/dev/pts" &&
		ln -sf pts/ptmx "$bare/dev/ptmx" || return 1
	mkdir "$bare/packages" && cp "$packages"/*.deb "$bare/packages"
	inside find / -xdev -path /proc -prune -o -path /packages -prune -o \
		\( -path /var/cache/man -o -path /root \) -prune -o -print | sort >"$tap_dir/before"
}

packages_install()
{
	inside sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends \
		/packages/stepscope_*.deb /packages/stepscope-data_*.deb /packages/libstepscope0_*.deb' \
		>"$tap_dir/install.log" 2>&1 || {
		tail -n 5 "$tap_dir/install.log"
		return 1
	}
}

# The figure of case dsv3-h200-tp8-fp8-pw/d32x4k of tests/oracle/steps.json, ms.
default_scenario_is_priced()
{
	inside stepscope price --figure serial --format json >"$tap_dir/price" &&
		grep -q '"serial_s":[[:space:]]*0\.02522' "$tap_dir/price"
}

explorer_opens_and_leaves()
{
	(sleep 2; printf q) | inside script -qec 'stty rows 24 cols 80; stepscope' /dev/null >"$tap_dir/screen"
	grep -q 'Deployment' "$tap_dir/screen"
}

manual_is_found()
{
	inside man -P cat stepscope | grep -q STEPSCOPE
}

purge_leaves_nothing()
{
	inside apt-get purge -y -qq stepscope stepscope-data libstepscope0 >"$tap_dir/purge.log" 2>&1 || return 1
	inside find / -xdev -path /proc -prune -o -path /packages -prune -o \
		\( -path /var/cache/man -o -path /root \) -prune -o -print | sort >"$tap_dir/after"
	comm -13 "$tap_dir/before" "$tap_dir/after" | grep -i stepscope && return 1
	return 0
}

tap_case 'a bare Debian 12 is made' bare_debian_is_made
tap_case 'the packages install with what they name' packages_install
tap_case 'the default scenario costs what was computed elsewhere' default_scenario_is_priced
tap_case 'the explorer opens on a terminal and leaves' explorer_opens_and_leaves
tap_case 'the manual is found' manual_is_found
tap_case 'a purge leaves nothing' purge_leaves_nothing
umount "$bare/dev/pts" 2>/dev/null
tap_done

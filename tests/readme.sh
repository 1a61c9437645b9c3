# readme.sh README: the text with the output of its commands made anew, on
# standard output. STEPSCOPE is the program, STEPSCOPE_REGISTRY its registry.
# A block holds one command and what it prints:
#
#	<!-- output -->
#	```console
#	$ stepscope price ... | head -5
#	```
#	<!-- end of output -->

: "${STEPSCOPE:?the program to run}" "${STEPSCOPE_REGISTRY:?its registry}"
readme_dir=$(mktemp -d) || exit 1
trap 'rm -rf "$readme_dir"' EXIT
mkdir "$readme_dir/bin" "$readme_dir/work" || exit 1
ln -s "$STEPSCOPE" "$readme_dir/bin/stepscope" || exit 1
PATH=$readme_dir/bin:$PATH
HOME=$readme_dir
LC_ALL=C
export PATH HOME LC_ALL
unset XDG_DATA_HOME

readme_inside=
while IFS= read -r readme_line; do
	case $readme_inside$readme_line in
	'<!-- output -->') readme_inside=block ;;
	'block<!-- end of output -->')
		printf '```\n'
		readme_inside=
		;;
	'block$ '*)
		printf '%s\n' "$readme_line"
		(cd "$readme_dir/work" && sh -c "${readme_line#??}" 2>&1 </dev/null | sed 's/ *$//')
		continue
		;;
	'block```console') ;;
	block*) continue ;;
	esac
	printf '%s\n' "$readme_line"
done <"$1"
test -z "$readme_inside" || { echo 'readme.sh: a block of output does not end' >&2; exit 1; }

# Shards of a sweep, made by what a site runs, joined to the very bytes of the whole.
. "$top_srcdir/tests/tap.sh"
cd "$tap_dir" || exit 99

sweep()
{
	"$STEPSCOPE" sweep deepseek-v3-h200-fp8-tp8 --vary tp=3,8 --vary count=1..300 "$@"
}

# Two of the four shards hold refused rows alone (tp 3): a shard's status is 0 all the same.
for format in csv json markdown; do
	sweep --format $format >whole.$format || exit 99
	for i in 1 2 3 4; do
		sweep --format $format --shard $i/4 >$format.$i-of-4 || exit 99
	done
done

joined()
{
	for format in csv json markdown; do
		"$STEPSCOPE" merge --expect 600 $format.3-of-4 $format.1-of-4 $format.4-of-4 $format.2-of-4 \
			>joined 2>said && cmp joined whole.$format || return 1
	done
	grep -q '^stepscope: 600 rows of 4 files, 0 twice, 0 missing$' said
}

lost()
{
	"$STEPSCOPE" merge csv.1-of-4 csv.2-of-4 csv.4-of-4 >part 2>said
	test $? -eq 1 && grep -q 'rows 300 to 449 are in no file' said &&
		grep -q 'shard 3 of 4 is missing' said && test "$(wc -l <part)" -eq 451
}

lost_at_the_end()
{
	cp csv.1-of-4 first.csv
	"$STEPSCOPE" merge --expect 600 first.csv 2>said >part
	test $? -eq 1 && grep -q 'rows 150 to 599 are in no file' said
}

repeated()
{
	"$STEPSCOPE" merge whole.csv csv.2-of-4 csv.1-of-4 csv.3-of-4 csv.4-of-4 >joined 2>said &&
		cmp joined whole.csv && grep -q '600 twice' said
}

contradicted()
{
	sed '5s/hbm/sm/' csv.2-of-4 >other.2-of-4
	cmp -s other.2-of-4 csv.2-of-4 && sed '5s/,/,9/3' csv.2-of-4 >other.2-of-4
	"$STEPSCOPE" merge whole.csv other.2-of-4 >joined 2>said
	test $? -eq 2 && grep -q 'other.2-of-4: line 5: the same row stands otherwise in whole.csv' said
}

cut()
{
	head -c 4000 csv.1-of-4 >cut.1-of-1
	"$STEPSCOPE" merge cut.1-of-1 >part 2>said
	test $? -eq 1 && grep -q 'cut.1-of-1 ends within a row' said && tail -c 1 part | od -c | grep -q '\\n'
}

of_another_sweep()
{
	"$STEPSCOPE" sweep deepseek-v3-h200-fp8-tp8 --vary tp=3,8 --vary count=1..301 --format csv >other.csv
	"$STEPSCOPE" merge whole.csv other.csv >joined 2>said
	test $? -eq 2 && grep -q 'other.csv: line 2: a row of another sweep than those of whole.csv' said
}

not_in_order()
{
	sweep --best tokens_per_s --top 5 --format csv >best.csv
	"$STEPSCOPE" merge best.csv >joined 2>said
	test $? -eq 2 && grep -q 'made with --best' said
}

of_a_pipe()
{
	mkfifo pipe && timeout 20 "$STEPSCOPE" merge csv.1-of-4 pipe >joined 2>said
	test $? -eq 4 && grep -q 'pipe: must be a regular file' said
}

no_sweep()
{
	printf 'a,b\n1,2\n3,4\n' >table.csv
	"$STEPSCOPE" merge table.csv >joined 2>said
	test $? -eq 2 && grep -q 'table.csv: line 2: no row of a sweep' said
}

of_parallel()
{
	echo 'rows of another day' >here.csv && sweep --plan parallel --shards 5 -o here.csv >plan.sh &&
		grep -qx 'rows of another day' here.csv && rm here.csv && mkdir -p bin &&
		ln -sf "$STEPSCOPE" bin/stepscope || return 1
	PATH=$PWD/bin:$PATH sh plan.sh --sshlogin : -j 2 >said 2>&1
	cmp here.csv whole.csv || { cat said; return 1; }
	# A shard that was lost is made anew, one that was cut off goes on.
	rm here.csv here.csv.2-of-5 && head -c 3000 here.csv.4-of-5 >cut && mv cut here.csv.4-of-5
	PATH=$PWD/bin:$PATH sh plan.sh >said 2>&1
	cmp here.csv whole.csv
}

# What each site's own tools are asked for: names as their manuals give them.
slurm()
{
	sweep --plan slurm --shards 7 >plan.sh && sh -n plan.sh && mkdir -p site || return 1
	cat >site/sbatch <<-'SH'
		#!/bin/sh
		# Stands in for Slurm: runs the job's script once a task, says a job number.
		tasks=
		for word; do
			case $word in --array=1-*) tasks=$(seq "${word#--array=1-}") ;; esac
		done
		cat >task.sh
		for task in ${tasks:-0}; do SLURM_ARRAY_TASK_ID=$task sh task.sh >&2 || exit 1; done
		echo 4711
	SH
	chmod +x site/sbatch
	PATH=$PWD/site:$PWD/bin:$PATH sh plan.sh >said 2>&1
	cmp sweep.csv whole.csv || { cat said; return 1; }
}

k8s()
{
	sweep --plan k8s --shards 3 >plan.yaml || return 1
	for key in 'completionMode: Indexed' 'completions: 3' 'parallelism: 3' 'restartPolicy: OnFailure'; do
		grep -q "$key" plan.yaml || return 1
	done
	# The shell of the two jobs, taken out of their blocks, does the work.
	sed -n 's/^          //p' plan.yaml | sed '/^whole=/i@' | awk '/^@/ { n++; next } { print >("job" n) }'
	rm -f sweep.csv*
	for index in 0 1 2; do JOB_COMPLETION_INDEX=$index PATH=$PWD/bin:$PATH sh job1; done
	PATH=$PWD/bin:$PATH sh job2 2>said
	cmp sweep.csv whole.csv
}

# Databases: the joined one holds what the whole one does, columns and indexes with it.
databases_join()
{
	for i in 4 2 1 3; do sweep --format sqlite --shard $i/4 -o s.$i-of-4.db || return 1; done
	sweep --format sqlite -o whole.db && sqlite3 whole.db .dump >whole.sql || return 1
	"$STEPSCOPE" merge --expect 600 s.3-of-4.db s.1-of-4.db s.4-of-4.db s.2-of-4.db -o all.db 2>said &&
		sqlite3 all.db .dump | cmp - whole.sql &&
		grep -q '^stepscope: 600 rows of 4 files, 0 twice, 0 missing$' said
}

databases_lost()
{
	"$STEPSCOPE" merge s.1-of-4.db s.4-of-4.db s.1-of-4.db -o part.db 2>said
	test $? -eq 1 && grep -q 'rows 150 to 449 are in no file' said && grep -q '150 twice' said &&
		grep -q 'shard 3 of 4 is missing' said &&
		test "$(sqlite3 part.db 'SELECT count(*) FROM sweep')" = 300
}

databases_contradict()
{
	cp s.2-of-4.db other.db && sqlite3 other.db 'UPDATE sweep SET serial_s = 9 WHERE row = 151' || return 1
	"$STEPSCOPE" merge s.2-of-4.db other.db -o wrong.db 2>said
	test $? -eq 2 && grep -q 'other.db: row 151 stands otherwise in a file before it' said &&
		test ! -e wrong.db || return 1
	sqlite3 other.db "UPDATE run SET hash = '00000000'"
	"$STEPSCOPE" merge s.1-of-4.db other.db -o wrong.db 2>said
	test $? -eq 2 && grep -q 'other.db: rows of another sweep than those of s.1-of-4.db' said || return 1
	"$STEPSCOPE" merge s.1-of-4.db whole.csv -o wrong.db 2>said
	test $? -eq 2 && grep -q 'whole.csv: is no SQLite database, as s.1-of-4.db is' said &&
		test ! -e wrong.db
}

databases_need_a_file()
{
	"$STEPSCOPE" merge s.1-of-4.db s.2-of-4.db 2>said
	test $? -eq 2 && grep -q -- '-o FILE' said || return 1
	cp whole.db kept.db && "$STEPSCOPE" merge s.1-of-4.db -o kept.db 2>said
	test $? -ne 0 && cmp kept.db whole.db
}

# A database may come from anybody: what its schema says is never run.
databases_are_not_run()
{
	cp s.1-of-4.db hostile.db && sqlite3 hostile.db "PRAGMA writable_schema = ON;
		UPDATE sqlite_master SET sql = sql || '; ATTACH ''made.db'' AS m; CREATE TABLE m.t (a)'
		WHERE name IN ('sweep', 'run', 'tp', 'count')" || return 1
	"$STEPSCOPE" merge hostile.db s.2-of-4.db -o joined.db 2>said
	test ! -e made.db || return 1
	sqlite3 view.db "ATTACH 's.1-of-4.db' AS s; CREATE TABLE run AS SELECT * FROM s.run;
		CREATE VIEW sweep AS SELECT 1 AS row, 2 AS tp" && "$STEPSCOPE" merge view.db -o wrong.db 2>said
	test $? -eq 2 && grep -q 'view.db: holds no rows of a sweep' said && test ! -e wrong.db || return 1
	cp s.1-of-4.db less.db && sqlite3 less.db 'UPDATE sweep SET row = -1 WHERE row = 0' &&
		"$STEPSCOPE" merge less.db -o wrong.db 2>said
	test $? -eq 2 && grep -q -- '-1 is none of a sweep' said && test ! -e wrong.db
}

# A journal beside it would be played back into the new one.
databases_spare_a_journal()
{
	cp s.1-of-4.db torn.db && cp torn.db torn && : >torn.db-journal &&
		"$STEPSCOPE" merge s.1-of-4.db s.2-of-4.db -o torn.db --force 2>said
	test $? -eq 4 && grep -q 'torn.db-journal: is left of a run that was killed' said && cmp torn.db torn
}

databases_of_parallel()
{
	rm -f sweep.db*
	sweep --plan parallel --shards 3 --format sqlite >plan.sh || return 1
	PATH=$PWD/bin:$PATH sh plan.sh --sshlogin : -j 2 >said 2>&1 || { cat said; return 1; }
	sqlite3 sweep.db .dump | cmp - whole.sql
}

# Each query of the manual runs on a sweep and finds rows.
queries_of_the_manual()
{
	cp whole.db sweep.db && "$STEPSCOPE" help stepscope >page && grep '^ *sqlite3 sweep.db' page >queries &&
		test "$(wc -l <queries)" -eq 3 || return 1
	while IFS= read -r query; do
		eval "$query" >found && test -s found || { echo "$query"; return 1; }
	done <queries
}

unknown_site() { sweep --plan cron 2>said; test $? -eq 2 && grep -q 'parallel slurm k8s' said; }

tap_case 'shards in any order join to the whole, in every format' joined
tap_case 'a lost shard is named, and its rows' lost
tap_case 'rows missing at the end are known from how many there should be' lost_at_the_end
tap_case 'rows that stand twice are written once' repeated
tap_case 'a row that stands twice otherwise is refused' contradicted
tap_case 'a file cut within a row gives its whole rows' cut
tap_case 'a row of another sweep is refused' of_another_sweep
tap_case 'rows out of order are refused' not_in_order
tap_case 'a table that is no sweep is refused' no_sweep
tap_case 'a pipe that nobody writes is not waited for' of_a_pipe
if command -v parallel >/dev/null; then
	tap_case 'GNU parallel makes the whole, and again after a loss' of_parallel
else
	tap_skip 'GNU parallel makes the whole, and again after a loss' 'no parallel'
fi
mkdir -p bin && ln -sf "$STEPSCOPE" bin/stepscope
if "$STEPSCOPE" sweep --vary tp=8 --format sqlite -o try.db 2>/dev/null && command -v sqlite3 >/dev/null; then
	tap_case 'databases join to the whole' databases_join
	tap_case 'a database that was lost is named, and its rows' databases_lost
	tap_case 'databases that contradict, or are of something else, are refused' databases_contradict
	tap_case 'what a database says is not run' databases_are_not_run
	tap_case 'a database is not put where a killed run would be played back' databases_spare_a_journal
	tap_case 'databases need a file, and spare the one there is' databases_need_a_file
	! command -v parallel >/dev/null || tap_case 'GNU parallel makes a database' databases_of_parallel
	tap_case 'each query of the manual finds rows' queries_of_the_manual
fi
tap_case 'a Slurm array makes the whole' slurm
tap_case 'an indexed job of Kubernetes makes the whole' k8s
tap_case 'a site that is not known is named with those that are' unknown_site
tap_done

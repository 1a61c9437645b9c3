/* What outlives a crash: kept sessions, saved files, reviews; killed at every system call. */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/batch_edit.h"
#include "app/keep.h"
#include "app/opening_batch.h"
#include "app/store.h"
#include "app/sweep.h"
#include "app/tour.h"
#include "app/walk.h"
#include "term/explorer_files.h"

#define REGISTRY TEST_SRCDIR "/registry"

/* -- killed at the n-th call ---------------------------------------------------------- */

static int calls_left = -1; /* below 0: nobody is killed */

static void count_call(void)
{
	if (calls_left == 0)
		(void)kill(getpid(), SIGKILL);
	if (calls_left > 0)
		calls_left--;
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __real_fflush(FILE *stream);
int __wrap_fflush(FILE *stream);
int __real_fclose(FILE *stream);
int __wrap_fclose(FILE *stream);
FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);

int __wrap_rename(const char *from, const char *to)
{
	count_call();
	return __real_rename(from, to);
}

int __wrap_unlink(const char *path)
{
	count_call();
	return __real_unlink(path);
}

int __wrap_fsync(int fd)
{
	count_call();
	return __real_fsync(fd);
}

int __wrap_flock(int fd, int how)
{
	count_call();
	return __real_flock(fd, how);
}

int __wrap_fflush(FILE *stream)
{
	count_call();
	return __real_fflush(stream);
}

int __wrap_fclose(FILE *stream)
{
	count_call();
	return __real_fclose(stream);
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
	count_call();
	return __real_fdopen(fd, mode);
}

/* -- an explorer without its terminal ------------------------------------------------- */

static char dir[64], scenario[96], review[96], state_dir[96];

struct rig {
	struct session session;
	struct explorer e;
};

static int make_dir(void **state)
{
	struct xbuf text = { 0 };
	struct ss_error err = { 0 };
	FILE *file;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/keep-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(scenario, sizeof(scenario), "%s/mine.json", dir);
	snprintf(review, sizeof(review), "%s/mine.review.json", dir);
	snprintf(state_dir, sizeof(state_dir), "%s/state", dir);
	assert_int_equal(mkdir(state_dir, 0700), 0);
	assert_int_equal(
		store_read(TEST_SRCDIR "/scenarios/deepseek-v3-h200-fp8-tp8.json", &text, &err),
		SS_OK);
	file = fopen(scenario, "w");
	assert_true(file && fputs(xbuf_text(&text), file) >= 0 && !fclose(file));
	xbuf_release(&text);
	return 0;
}

static void empty_folder(const char *path)
{
	DIR *listing = opendir(path);
	const struct dirent *entry;
	char name[400];

	while (listing && (entry = readdir(listing))) {
		snprintf(name, sizeof(name), "%s/%.200s", path, entry->d_name);
		(void)unlink(name);
	}
	if (listing)
		(void)closedir(listing);
	(void)rmdir(path);
}

static int remove_dir(void **state)
{
	(void)state;
	empty_folder(state_dir);
	empty_folder(dir);
	return 0;
}

static void rig_open(struct rig *rig, const char *name)
{
	struct session_request request = session_request();
	struct ss_error err = { 0 };

	memset(rig, 0, sizeof(*rig));
	request.registry = REGISTRY;
	request.scenario = name;
	assert_int_equal(session_open(&rig->session, &request, &err), SS_OK);
	rig->e.session = &rig->session;
	app_init_session(&rig->e.app, &rig->session);
	snprintf(rig->e.app.reviewer, sizeof(rig->e.app.reviewer), "ann");
	snprintf(rig->e.app.now, sizeof(rig->e.app.now), "2026-11-30T23:50:15Z");
	explorer_open_files(&rig->e);
	rig->e.keeper = keeper_new(state_dir);
	assert_non_null(rig->e.keeper);
	app_set_panes(&rig->e.app, 1);
	app_refresh(&rig->e.app, APP_PRICE);
}

/* As at its end, or (drops false) as a signal ends it. */
static void rig_close(struct rig *rig, bool drops)
{
	keeper_free(rig->e.keeper, drops);
	app_release(&rig->e.app);
	session_release(&rig->session);
}

static void press(struct rig *rig, const char *keys)
{
	struct key key;

	while (key_parse(&keys, &key))
		app_refresh(&rig->e.app, app_key(&rig->e.app, key));
}

static void type(struct rig *rig, const char *text)
{
	assert_int_not_equal(rig->e.app.prompt.kind, PROMPT_NONE);
	app_refresh(&rig->e.app, app_prompt_done(&rig->e.app, text));
}

static void command(struct rig *rig, const char *line)
{
	press(rig, ":");
	type(rig, line);
}

static void save_as(struct rig *rig, const char *file)
{
	(void)app_save(&rig->e.app, file);
	explorer_save(&rig->e);
}

static int64_t width_of(const struct draft *draft)
{
	return ss_scenario_value(draft->scenario, 0, SS_F_TP)->integer;
}

static const char *note_of(const struct app *app, const char *entry)
{
	const struct ss_review_entry *said = ss_review_find(app->review, entry);

	return said ? said->note : NULL;
}

static bool exists(const char *path)
{
	struct stat info;

	return !stat(path, &info);
}

/* A few of everything a user would miss. */
static void work(struct rig *rig)
{
	press(rig, "b");
	command(rig, "set tp 4");
	command(rig, "batch 16x2048");
	command(rig, "coef host_launch_per_kernel 2.4");
	command(rig, "set tp 2");
	press(rig, "u F w a '");
	type(rig, "because of \"X\"\xc3\xa9");
	press(rig, "]");
}

/* -- sessions ------------------------------------------------------------------------- */

static void all_of_a_session_is_taken_up_again(void **state)
{
	struct rig one, two;
	struct ss_error err = { 0 };
	struct app *app = &two.e.app;
	struct draft opened = { 0 };
	size_t position;

	(void)state;
	rig_open(&one, scenario);
	work(&one);
	position = one.e.app.history.position;
	explorer_keep_session(&one.e);

	rig_open(&two, "llama-3.1-8b-l40s-tp1");
	/* While its explorer lives it is nobody else's, of this very process either. */
	assert_false(keeper_find(two.e.keeper));
	keeper_free(one.e.keeper, false);
	one.e.keeper = NULL;
	assert_true(keeper_find(two.e.keeper));
	assert_true(keeper_recover(two.e.keeper, app, &err));

	assert_true(draft_equal(&app->draft, &one.e.app.draft));
	assert_int_equal(width_of(&app->draft), 4);
	assert_true(*draft_whatif(&app->draft, "host_launch_per_kernel") > 2.39);
	assert_true(ss_review_equal(app->review, one.e.app.review));
	assert_string_equal(note_of(app, one.e.app.walk->items[0].name),
			    "because of \"X\"\xc3\xa9");
	assert_int_equal(app->pin_count, 1);
	assert_int_equal(width_of(&app_baseline(app)->draft), 8);
	assert_int_equal(app->figure, one.e.app.figure);
	assert_non_null(app->walk);
	assert_string_equal(app->walk->items[app->walk->at].name,
			    one.e.app.walk->items[one.e.app.walk->at].name);
	assert_string_equal(app->saved_as, scenario);
	/* Every edit can be taken back, to the very draft that was opened, and made again. */
	draft_copy(&opened, &app->opened);
	assert_int_equal(app->history.position, position);
	while (history_undo(&app->history, &app->draft))
		;
	assert_true(draft_equal(&app->draft, &opened));
	assert_int_equal(app->review->count, 0);
	while (history_redo(&app->history, &app->draft))
		;
	assert_true(draft_equal(&app->draft, &one.e.app.draft));
	draft_release(&opened);
	rig_close(&one, false);
	rig_close(&two, true);
}

static void what_is_swept_and_recorded_is_taken_up_again(void **state)
{
	struct rig one, two;
	struct ss_error err = { 0 };
	struct app *was = &one.e.app, *app = &two.e.app;

	(void)state;
	rig_open(&one, scenario);
	command(&one, "record mine.tour");
	command(&one, "set tp 4");
	command(&one, "say at four");
	command(&one, "sweep coef:host_launch_per_kernel 1,2");
	command(&one, "series block_size 16,64");
	was->sweep->figure = 2;
	explorer_keep_session(&one.e);
	keeper_free(one.e.keeper, false);
	one.e.keeper = NULL;

	rig_open(&two, "llama-3.1-8b-l40s-tp1");
	assert_true(keeper_find(two.e.keeper));
	assert_true(keeper_recover(two.e.keeper, app, &err));
	assert_string_equal(app->sweep->x.coefficient, "host_launch_per_kernel");
	assert_int_equal(app->sweep->x.count, was->sweep->x.count);
	for (size_t i = 0; i < was->sweep->x.count; i++)
		assert_string_equal(app->sweep->x.values[i], was->sweep->x.values[i]);
	assert_int_equal(app->sweep->series.field, SS_F_BLOCK_SIZE);
	assert_int_equal(app->sweep->series.count, 2);
	assert_int_equal(app->sweep->figure, 2);
	assert_int_equal(app->pane, PANE_SWEEP);
	/* It goes on where it stood: nothing is written twice. */
	assert_non_null(app->record);
	command(&two, "set tp 2");
	assert_string_equal(tour_record_file(app->record), "mine.tour");
	assert_non_null(strstr(tour_record_text(app->record), "say at four\n"));
	assert_null(strstr(strstr(tour_record_text(app->record), "parallel.tp=4") + 1,
			   "parallel.tp=4"));
	assert_non_null(strstr(tour_record_text(app->record), "parallel.tp=2\n"));
	rig_close(&one, false);
	rig_close(&two, true);
}

static void an_undo_and_an_edit_at_once_are_kept(void **state)
{
	struct rig one, two;
	struct ss_error err = { 0 };

	(void)state;
	rig_open(&one, scenario);
	command(&one, "set tp 4");
	explorer_keep_session(&one.e);
	press(&one, "u");
	command(&one, "set tp 2");
	explorer_keep_session(&one.e);
	rig_close(&one, false);
	rig_open(&two, scenario);
	assert_true(keeper_find(two.e.keeper));
	assert_true(keeper_recover(two.e.keeper, &two.e.app, &err));
	assert_int_equal(width_of(&two.e.app.draft), 2);
	rig_close(&two, true);
}

static void a_deployment_that_no_file_may_hold_is_kept(void **state)
{
	struct rig one, two;
	struct ss_error err = { 0 };

	(void)state;
	rig_open(&one, scenario);
	/* Two nodes without a fabric between them: refused, and no document. */
	command(&one, "set cluster.nodes 2");
	assert_true(one.e.app.is_refused);
	explorer_keep_session(&one.e);
	rig_close(&one, false);
	rig_open(&two, scenario);
	assert_true(keeper_find(two.e.keeper));
	assert_true(keeper_recover(two.e.keeper, &two.e.app, &err));
	assert_int_equal(two.e.app.draft.scenario->values[SS_F_CLUSTER_NODES].integer, 2);
	press(&two, "u");
	assert_false(two.e.app.is_refused);
	rig_close(&two, true);
}

static void what_was_saved_is_not_offered(void **state)
{
	struct rig one, two;

	(void)state;
	rig_open(&one, scenario);
	command(&one, "set tp 4");
	press(&one, "w a <Esc>");
	explorer_keep_session(&one.e);
	save_as(&one, scenario);
	assert_true(exists(review));
	/* Killed before the session could be dropped: the files hold all of it. */
	rig_close(&one, false);
	rig_open(&two, scenario);
	assert_int_equal(width_of(&two.e.app.draft), 4);
	assert_false(keeper_find(two.e.keeper));
	rig_close(&two, true);
	rig_open(&two, scenario);
	command(&two, "set tp 8");
	explorer_keep_session(&two.e);
	save_as(&two, scenario);
	explorer_keep_session(&two.e);
	rig_close(&two, false);
	rig_open(&one, scenario);
	assert_false(keeper_find(one.e.keeper));
	rig_close(&one, true);
}

static void a_damaged_session_is_said_and_stays(void **state)
{
	struct rig rig;
	struct ss_error err = { 0 };
	char path[128];
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s/kept-abcdef", state_dir);
	file = fopen(path, "w");
	assert_true(file && fputs("{\"kind\":\"Session\",\"draft\":{", file) >= 0 && !fclose(file));
	rig_open(&rig, scenario);
	assert_true(keeper_find(rig.e.keeper));
	assert_false(keeper_recover(rig.e.keeper, &rig.e.app, &err));
	assert_non_null(strstr(err.message, "no session that was kept whole"));
	assert_int_equal(width_of(&rig.e.app.draft), 8);
	rig_close(&rig, true);
	assert_true(exists(path));
}

/* Run in a child killed at its n-th call; true when it came to its end. */
static bool survives(int calls, void (*act)(struct rig *), struct rig *rig)
{
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		calls_left = calls;
		act(rig);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status);
}

/* Each child has its own explorer: a lock is shared with a parent that has it open. */
static void keep_four_then_two(struct rig *unused)
{
	struct rig rig;
	int calls = calls_left;

	(void)unused;
	calls_left = -1;
	rig_open(&rig, scenario);
	command(&rig, "set tp 4");
	explorer_keep_session(&rig.e);
	command(&rig, "set tp 2");
	calls_left = calls;
	explorer_keep_session(&rig.e);
}

static void killed_while_keeping_one_of_the_two_is_whole(void **state)
{
	bool is_done = false;
	int calls = 0, seen_four = 0, seen_two = 0;

	(void)state;
	for (; !is_done && calls < 100; calls++) {
		struct rig rig;
		struct ss_error err = { 0 };

		is_done = survives(calls, keep_four_then_two, NULL);
		rig_open(&rig, scenario);
		assert_true(keeper_find(rig.e.keeper));
		assert_true(keeper_recover(rig.e.keeper, &rig.e.app, &err));
		assert_true(width_of(&rig.e.app.draft) == 4 || width_of(&rig.e.app.draft) == 2);
		seen_four += width_of(&rig.e.app.draft) == 4;
		seen_two += width_of(&rig.e.app.draft) == 2;
		keeper_settle(rig.e.keeper, true);
		/* It was the only one. */
		assert_false(keeper_find(rig.e.keeper));
		rig_close(&rig, true);
	}
	assert_true(is_done && seen_four > 0 && seen_two > 0);
}

static void save_and_drop(struct rig *unused)
{
	struct rig rig;
	int calls = calls_left;

	(void)unused;
	calls_left = -1;
	rig_open(&rig, scenario);
	command(&rig, "set tp 4");
	press(&rig, "w a <Esc>");
	explorer_keep_session(&rig.e);
	calls_left = calls;
	save_as(&rig, scenario);
	explorer_keep_session(&rig.e);
}

/* Whenever it was killed: what the files have not, the session offered has. */
static void killed_while_saving_nothing_is_lost(void **state)
{
	bool is_done = false;
	int calls = 0, offered = 0, saved = 0;

	(void)state;
	for (; !is_done && calls < 200; calls++) {
		struct rig rig;
		struct ss_error err = { 0 };

		(void)remove_dir(state);
		(void)make_dir(state);
		is_done = survives(calls, save_and_drop, NULL);
		rig_open(&rig, scenario);
		assert_true(width_of(&rig.e.app.draft) == 4 || width_of(&rig.e.app.draft) == 8);
		if (keeper_find(rig.e.keeper)) {
			assert_true(keeper_recover(rig.e.keeper, &rig.e.app, &err));
			offered++;
		} else {
			saved++;
		}
		assert_int_equal(width_of(&rig.e.app.draft), 4);
		assert_int_equal(rig.e.app.review->count, 1);
		rig_close(&rig, true);
	}
	assert_true(is_done && offered > 0 && saved > 0);
}

static void recover_and_keep(struct rig *unused)
{
	struct rig rig;
	int calls = calls_left;

	(void)unused;
	calls_left = -1;
	rig_open(&rig, scenario);
	if (!keeper_find(rig.e.keeper))
		_exit(0);
	calls_left = calls;
	(void)explorer_recover(&rig.e, true);
}

static void killed_while_taken_up_it_is_offered_again(void **state)
{
	bool is_done = false;
	struct rig rig;

	(void)state;
	rig_open(&rig, scenario);
	command(&rig, "set tp 4");
	explorer_keep_session(&rig.e);
	rig_close(&rig, false);
	for (int calls = 0; !is_done && calls < 100; calls++) {
		struct ss_error err = { 0 };

		is_done = survives(calls, recover_and_keep, NULL);
		rig_open(&rig, scenario);
		assert_true(keeper_find(rig.e.keeper));
		assert_true(keeper_recover(rig.e.keeper, &rig.e.app, &err));
		assert_int_equal(width_of(&rig.e.app.draft), 4);
		/* Left as found, for the next one. */
		rig_close(&rig, true);
	}
	assert_true(is_done);
}

/* -- files ---------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_true(file && fputs(text, file) >= 0 && !fclose(file));
}

/* What the file says, with another width. */
static void change_file(int64_t width)
{
	struct ss_problems problems = { 0 };
	struct ss_scenario *s = ss_scenario_load(scenario, &problems);
	struct ss_error err = { 0 };
	char text[32], *json;

	assert_non_null(s);
	snprintf(text, sizeof(text), "%lld", (long long)width);
	assert_int_equal(ss_scenario_set(s, 0, "tp", text, &err), SS_OK);
	assert_int_equal(ss_scenario_set(s, 0, "description", "changed elsewhere", &err), SS_OK);
	json = ss_scenario_to_json(s);
	write_text(scenario, json);
	free(json);
	ss_scenario_free(s);
}

static void a_file_changed_meanwhile_is_not_written_over_unasked(void **state)
{
	struct rig one, two;
	struct ss_error err = { 0 };

	(void)state;
	rig_open(&one, scenario);
	command(&one, "set tp 4");
	explorer_keep_session(&one.e);
	rig_close(&one, false);
	change_file(2);
	rig_open(&two, scenario);
	assert_true(keeper_find(two.e.keeper));
	assert_true(keeper_recover(two.e.keeper, &two.e.app, &err));
	save_as(&two, scenario);
	assert_int_equal(two.e.app.overlay, OVERLAY_CONFIRM);
	assert_int_equal(two.e.app.question, QUESTION_OVERWRITE);
	press(&two, "n");
	rig_open(&one, scenario);
	assert_int_equal(width_of(&one.e.app.draft), 2);
	rig_close(&one, true);
	rig_close(&two, true);
}

static void a_review_changed_meanwhile_is_not_written_over_unasked(void **state)
{
	static const char other[] = "{\"kind\":\"Review\",\"scenario\":\"s\",\"entries\":[]}";
	struct rig rig;
	struct xbuf text = { 0 };
	struct ss_error err = { 0 };

	(void)state;
	rig_open(&rig, scenario);
	press(&rig, "w a <Esc>");
	write_text(review, other);
	save_as(&rig, scenario);
	assert_int_equal(rig.e.app.overlay, OVERLAY_CONFIRM);
	press(&rig, "n");
	assert_int_equal(store_read(review, &text, &err), SS_OK);
	assert_string_equal(xbuf_text(&text), other);
	xbuf_release(&text);
	assert_true(history_is_dirty(&rig.e.app.history));
	rig_close(&rig, true);
}

static void a_review_alone_leaves_the_scenario_as_it_is(void **state)
{
	struct store_stamp before = store_stamp(scenario), after;
	struct rig rig;

	(void)state;
	rig_open(&rig, scenario);
	press(&rig, "w a '");
	type(&rig, "seen");
	save_as(&rig, scenario);
	after = store_stamp(scenario);
	assert_true(store_stamp_equal(&before, &after));
	assert_false(history_is_dirty(&rig.e.app.history));
	rig_close(&rig, true);
	rig_open(&rig, scenario);
	press(&rig, "w");
	assert_int_equal(rig.e.app.walk->items[0].verdict, WALK_REVIEWED);
	assert_string_equal(note_of(&rig.e.app, rig.e.app.walk->items[0].name), "seen");
	/* It is judged at the value it had. */
	press(&rig, "[ t");
	type(&rig, "1.6");
	assert_int_equal(rig.e.app.walk->items[0].verdict, WALK_CHANGED);
	rig_close(&rig, true);
}

static void what_a_file_does_not_hold_is_said(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, scenario);
	command(&rig, "set tp 4");
	press(&rig, "b F");
	save_as(&rig, scenario);
	assert_non_null(strstr(rig.e.app.message, "saved to"));
	assert_non_null(strstr(rig.e.app.message, "not in it: lead figure, 1 pin"));
	rig_close(&rig, true);
}

static void edits_are_carried_over_to_the_new_file(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, scenario);
	command(&rig, "set max_num_seqs 128");
	command(&rig, "coef host_launch_per_kernel 2.4");
	press(&rig, "w ] a <Esc>");
	change_file(4);
	press(&rig, "r");
	assert_int_equal(rig.e.app.question, QUESTION_RELOAD);
	rig.e.app.overlay = OVERLAY_NONE;
	rig.e.app.keeps_edits = true;
	app_refresh(&rig.e.app, explorer_reload(&rig.e));
	assert_int_equal(width_of(&rig.e.app.draft), 4);
	assert_int_equal(ss_scenario_value(rig.e.app.draft.scenario, 0, SS_F_MAX_NUM_SEQS)->integer,
			 128);
	assert_non_null(draft_whatif(&rig.e.app.draft, "host_launch_per_kernel"));
	assert_int_equal(rig.e.app.review->count, 1);
	assert_true(history_is_dirty(&rig.e.app.history));
	/* Written over the new file without asking: it was read. */
	save_as(&rig, scenario);
	assert_int_equal(rig.e.app.overlay, OVERLAY_NONE);
	assert_string_equal(rig.e.app.draft.scenario->values[SS_F_DESCRIPTION].text,
			    "changed elsewhere");
	rig_close(&rig, true);
}

static void edits_dropped_for_the_new_file_can_be_taken_back(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, scenario);
	command(&rig, "set max_num_seqs 128");
	press(&rig, "w ] a <Esc>");
	change_file(4);
	rig.e.app.keeps_edits = false;
	app_refresh(&rig.e.app, explorer_reload(&rig.e));
	assert_int_equal(width_of(&rig.e.app.draft), 4);
	assert_int_equal(ss_scenario_value(rig.e.app.draft.scenario, 0, SS_F_MAX_NUM_SEQS)->integer,
			 256);
	assert_int_equal(rig.e.app.review->count, 0);
	assert_false(history_is_dirty(&rig.e.app.history));
	press(&rig, "u");
	assert_int_equal(width_of(&rig.e.app.draft), 8);
	assert_int_equal(ss_scenario_value(rig.e.app.draft.scenario, 0, SS_F_MAX_NUM_SEQS)->integer,
			 128);
	assert_int_equal(rig.e.app.review->count, 1);
	rig_close(&rig, true);
}

static void a_file_that_does_not_read_leaves_all_as_it_is(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, scenario);
	command(&rig, "set tp 4");
	write_text(scenario, "{");
	rig.e.app.keeps_edits = true;
	app_refresh(&rig.e.app, explorer_reload(&rig.e));
	assert_true(rig.e.app.is_message_error);
	assert_int_equal(width_of(&rig.e.app.draft), 4);
	assert_int_equal(rig.e.app.history.position, 1);
	rig_close(&rig, true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_of_a_session_is_taken_up_again),
		TEST(what_is_swept_and_recorded_is_taken_up_again),
		TEST(an_undo_and_an_edit_at_once_are_kept),
		TEST(a_deployment_that_no_file_may_hold_is_kept),
		TEST(what_was_saved_is_not_offered),
		TEST(a_damaged_session_is_said_and_stays),
		TEST(killed_while_keeping_one_of_the_two_is_whole),
		TEST(killed_while_saving_nothing_is_lost),
		TEST(killed_while_taken_up_it_is_offered_again),
		TEST(a_file_changed_meanwhile_is_not_written_over_unasked),
		TEST(a_review_changed_meanwhile_is_not_written_over_unasked),
		TEST(a_review_alone_leaves_the_scenario_as_it_is),
		TEST(what_a_file_does_not_hold_is_said),
		TEST(edits_are_carried_over_to_the_new_file),
		TEST(edits_dropped_for_the_new_file_can_be_taken_back),
		TEST(a_file_that_does_not_read_leaves_all_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

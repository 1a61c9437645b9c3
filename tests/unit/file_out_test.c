#include "files/out.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "text/xbuf.h"

/* Each test works in a folder of its own. */
static int enter(void **state)
{
	struct xbuf name = { 0 };
	const char *parent = getenv("TMPDIR");

	xbuf_printf(&name, "%s/file-out-XXXXXX", parent && *parent ? parent : "/tmp");
	*state = mkdtemp(name.data);
	return !*state || chdir(*state);
}

static int leave(void **state)
{
	struct xbuf command = { 0 };
	int rc;

	xbuf_printf(&command, "chmod -R u+rwx '%s' && rm -rf '%s'", (char *)*state, (char *)*state);
	rc = chdir("/") || system(command.data);
	xbuf_release(&command);
	free(*state);
	return rc;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void assert_holds(const char *path, const char *text)
{
	char found[200] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	found[fread(found, 1, sizeof(found) - 1, f)] = '\0';
	assert_int_equal(fclose(f), 0);
	assert_string_equal(found, text);
}

/* Files in the folder, hidden ones too. */
static int file_count(void)
{
	FILE *f = popen("ls -A | wc -l", "r");
	int count = -1;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &count), 1);
	assert_int_equal(pclose(f), 0);
	return count;
}

static enum ss_status write_text(const char *path, const char *text, unsigned how)
{
	struct ss_error err = { 0 };

	return file_write(path, text, strlen(text), how, &err);
}

static void a_file_that_holds_something_is_not_written_over_unasked(void **state)
{
	struct ss_error err = { 0 };

	(void)state;
	put("old", "kept");
	assert_int_equal(file_write("old", "new", 3, 0, &err), SS_EIO);
	assert_non_null(strstr(err.message, "is there already"));
	assert_int_equal(file_out_check("old", 0, &err), SS_EIO);
	assert_holds("old", "kept");
	assert_int_equal(write_text("old", "new", FILE_REPLACE), SS_OK);
	assert_holds("old", "new");
	put("empty", "");
	assert_int_equal(write_text("empty", "new", 0), SS_OK);
	assert_int_equal(file_count(), 2);
}

static void the_old_file_stays_until_the_new_one_is_whole(void **state)
{
	struct file_out out;
	struct ss_error err = { 0 };

	(void)state;
	put("a", "old");
	assert_int_equal(file_out_open(&out, "a", FILE_REPLACE, &err), SS_OK);
	assert_true(fputs("half", out.stream) >= 0);
	assert_int_equal(fflush(out.stream), 0);
	assert_holds("a", "old");
	file_out_drop(&out);
	assert_holds("a", "old");
	assert_int_equal(file_count(), 1);
}

static void a_file_made_in_the_meantime_stays(void **state)
{
	struct file_out out;
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(file_out_open(&out, "a", 0, &err), SS_OK);
	put("a", "theirs");
	assert_int_equal(file_out_close(&out, &err), SS_EIO);
	assert_holds("a", "theirs");
	assert_int_equal(file_count(), 1);
}

static mode_t mode_of(const char *path)
{
	struct stat about;

	assert_int_equal(lstat(path, &about), 0);
	return about.st_mode;
}

static void a_new_file_has_the_rights_of_the_old_one(void **state)
{
	(void)state;
	put("a", "old");
	assert_int_equal(chmod("a", 0751), 0);
	assert_int_equal(write_text("a", "new", FILE_REPLACE), SS_OK);
	assert_int_equal(mode_of("a") & 07777, 0751);
	(void)umask(027);
	assert_int_equal(write_text("b", "new", 0), SS_OK);
	assert_int_equal(mode_of("b") & 07777, 0640);
	(void)umask(022);
	assert_int_equal(write_text("c", "new", FILE_PRIVATE), SS_OK);
	assert_int_equal(mode_of("c") & 07777, 0600);
}

static void a_link_stays_a_link_and_its_file_is_written(void **state)
{
	(void)state;
	assert_int_equal(mkdir("far", 0700), 0);
	put("far/file", "old");
	assert_int_equal(symlink("far/file", "link"), 0);
	assert_int_equal(symlink("link", "again"), 0);
	assert_int_equal(write_text("again", "new", FILE_REPLACE), SS_OK);
	assert_true(S_ISLNK(mode_of("again")) && S_ISLNK(mode_of("link")));
	assert_true(S_ISREG(mode_of("far/file")));
	assert_holds("far/file", "new");
	assert_int_equal(symlink("far/none", "dangling"), 0);
	assert_int_equal(write_text("dangling", "new", 0), SS_OK);
	assert_holds("far/none", "new");
	assert_int_equal(symlink("round", "round"), 0);
	assert_int_equal(write_text("round", "new", FILE_REPLACE), SS_EIO);
}

static void devices_and_pipes_are_written_into(void **state)
{
	char found[8] = "";
	int fd;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(write_text("pipe", "new", FILE_NO_WAIT), SS_EIO);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(write_text("pipe", "new", FILE_NO_WAIT), SS_OK);
	assert_int_equal(read(fd, found, sizeof(found)), 3);
	assert_string_equal(found, "new");
	assert_true(S_ISFIFO(mode_of("pipe")));
	(void)close(fd);
	assert_int_equal(symlink("/dev/null", "null"), 0);
	assert_int_equal(write_text("null", "new", 0), SS_OK);
	assert_true(S_ISCHR(mode_of("/dev/null")) && S_ISLNK(mode_of("null")));
	/* What is open already is not replaced behind the back of who opened it. */
	put("out", "");
	fd = open("out", O_WRONLY | O_APPEND);
	assert_true(fd >= 0 && dup2(fd, 9) == 9);
	assert_int_equal(write_text("/dev/fd/9", "one", 0), SS_OK);
	assert_int_equal(write(fd, "two", 3), 3);
	assert_holds("out", "onetwo");
	(void)close(fd);
	(void)close(9);
}

static void nothing_is_made_where_nothing_can_be(void **state)
{
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(file_out_check("no/such", 0, &err), SS_EIO);
	assert_non_null(strstr(err.message, "cannot be written"));
	assert_int_equal(file_out_check(".", FILE_REPLACE, &err), SS_EIO);
	assert_string_equal(err.message, "is a folder");
	assert_int_equal(file_out_check("", FILE_REPLACE, &err), SS_EIO);
	put("fixed", "old");
	assert_int_equal(chmod("fixed", 0444), 0);
	if (geteuid()) /* root may write everywhere */
		assert_int_equal(write_text("fixed", "new", FILE_REPLACE), SS_EIO);
	assert_int_equal(file_count(), 1);
}

static void what_is_read_is_not_written(void **state)
{
	struct ss_error err = { 0 };

	(void)state;
	put("a", "old");
	assert_int_equal(symlink("a", "link"), 0);
	assert_int_equal(link("a", "hard"), 0);
	assert_int_equal(file_out_spares("link", "a", &err), SS_EIO);
	assert_int_equal(file_out_spares("hard", "a", &err), SS_EIO);
	assert_int_equal(file_out_spares("b", "a", &err), SS_OK);
	assert_int_equal(file_out_spares("/dev/null", "/dev/null", &err), SS_OK);
}

static void what_a_killed_writer_left_is_removed_and_no_more(void **state)
{
	struct file_out running;
	struct ss_error err = { 0 };
	int status = 0;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		struct file_out out;

		if (!file_out_open(&out, "a", 0, NULL))
			(void)raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(file_count(), 1);
	put(".stepscope-mine", "kept");
	assert_int_equal(symlink("/etc/passwd", ".stepscope-0.new"), 0);
	assert_int_equal(file_out_open(&running, "b", 0, &err), SS_OK);
	assert_int_equal(file_count(), 3);
	/* One that is being written stays. */
	assert_int_equal(write_text("c", "new", 0), SS_OK);
	assert_int_equal(file_count(), 4);
	assert_int_equal(file_out_close(&running, &err), SS_OK);
	assert_holds("b", "");
	assert_holds(".stepscope-mine", "kept");
}

static void a_writer_that_is_interrupted_leaves_nothing(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			struct file_out out;

			(void)signal(signals[i], SIG_DFL);
			if (!file_out_open(&out, "a", 0, NULL))
				(void)raise(signals[i]);
			_exit(1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
		assert_int_equal(file_count(), 0);
	}
}

#define TEST_IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_IN_FOLDER(a_file_that_holds_something_is_not_written_over_unasked),
		TEST_IN_FOLDER(the_old_file_stays_until_the_new_one_is_whole),
		TEST_IN_FOLDER(a_file_made_in_the_meantime_stays),
		TEST_IN_FOLDER(a_new_file_has_the_rights_of_the_old_one),
		TEST_IN_FOLDER(a_link_stays_a_link_and_its_file_is_written),
		TEST_IN_FOLDER(devices_and_pipes_are_written_into),
		TEST_IN_FOLDER(nothing_is_made_where_nothing_can_be),
		TEST_IN_FOLDER(what_is_read_is_not_written),
		TEST_IN_FOLDER(what_a_killed_writer_left_is_removed_and_no_more),
		TEST_IN_FOLDER(a_writer_that_is_interrupted_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

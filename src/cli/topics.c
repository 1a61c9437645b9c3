#include "cli/topics.h"

#include <string.h>

#include "cli/help.h"
#include "cli/run.h"

static const struct {
	const char *word, *name;
	int section;
	const char *about;
} topics[] = {
#define X(id, word, name, section, about) { word, name, section, about },
	TOPIC_LIST(X)
#undef X
};

const char *topic_word(enum topic_id topic)
{
	return topics[topic].word;
}

enum topic_id topic_find(const char *word)
{
	for (int i = 0; i < TOPIC_COUNT; i++)
		if (!strcmp(topics[i].word, word) || !strcmp(topics[i].name, word))
			return (enum topic_id)i;
	return TOPIC_COUNT;
}

void topic_write(enum topic_id topic, struct manual_page *page)
{
	page_open(page, topics[topic].name, topics[topic].section, topics[topic].about);
	switch (topic) {
	case TOPIC_PROGRAM:
		topic_program(page);
		break;
	case TOPIC_TUTORIAL:
		topic_tutorial(page);
		break;
	case TOPIC_REGISTRY:
		topic_registry(page);
		break;
	case TOPIC_LAWS:
		topic_laws(page);
		break;
	case TOPIC_COUNT:
		break;
	}
	page_close(page);
}

/** The pages there are, one a line. */
static void list_topics(struct xbuf *out)
{
	for (int i = 0; i < TOPIC_COUNT; i++)
		xbuf_printf(out, "  help %-10s %s\n", topics[i].word, topics[i].about);
	xbuf_puts(out, "  help COMMAND    what a command does and takes\n");
}

int run_help(struct batch *batch)
{
	const struct arguments *a = batch->arguments;
	const char *word = a->name_count ? a->names[0] : NULL;
	const struct command *command = word ? command_find(word) : NULL;
	enum topic_id topic = word ? topic_find(word) : TOPIC_COUNT;
	struct xbuf text = { 0 };
	struct manual_page page = { PAGE_TEXT, &text, 78 };
	struct ss_error err = { 0 };
	int status;

	if (word && !command && topic == TOPIC_COUNT) {
		(void)ss_fail(&err, SS_EUSAGE, word,
			      "no such topic or command; `stepscope help` lists them");
		return batch_fail(batch, SS_EUSAGE, NULL, &err);
	}
	if (topic != TOPIC_COUNT) {
		topic_write(topic, &page);
	} else {
		help_text(&text, command);
		if (!command) {
			xbuf_puts(&text, "\nTopics:\n");
			list_topics(&text);
		}
	}
	status = batch_write(batch, &text);
	xbuf_release(&text);
	return status;
}

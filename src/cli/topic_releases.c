/* Of stepscope-laws(7): the figures of the engine's start by release, from the packs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/roots.h"
#include "cli/topics.h"
#include "stepscope/registry.h"

enum { COLUMNS_MAX = 10 };

/** Releases at which a figure changes, in order. */
struct columns {
	const char *releases[COLUMNS_MAX];
	size_t count;
};

static int by_release(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	return ss_release_is_within(x, y, "") - ss_release_is_within(y, x, "");
}

static void add_column(struct columns *c, const char *release)
{
	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->releases[i], release))
			return;
	if (*release && c->count < COLUMNS_MAX)
		c->releases[c->count++] = release;
}

static const struct ss_release_row *row_of(const struct ss_pack *pack, int term,
					   const char *release)
{
	for (size_t i = 0; i < pack->term_count; i++)
		if ((int)pack->terms[i].term == term &&
		    ss_release_is_within(release, pack->terms[i].since, pack->terms[i].until))
			return &pack->terms[i];
	return NULL;
}

static void put_table(struct manual_page *page, const struct ss_pack *pack)
{
	struct xbuf text = { 0 };
	struct columns c = { 0 };

	for (size_t i = 0; i < pack->term_count; i++) {
		add_column(&c, pack->terms[i].since);
		add_column(&c, pack->terms[i].until);
	}
	qsort(c.releases, c.count, sizeof(*c.releases), by_release);
	xbuf_printf(&text, "%-23s", pack->name);
	for (size_t i = 0; i < c.count; i++)
		xbuf_printf(&text, "%6s", c.releases[i]);
	for (int term = 0; term < SS_RELEASE_TERM_COUNT; term++) {
		xbuf_printf(&text, "\n%-23s", ss_release_term_name((enum ss_release_term_id)term));
		for (size_t i = 0; i < c.count; i++) {
			const struct ss_release_row *row = row_of(pack, term, c.releases[i]);

			if (row)
				xbuf_printf(&text, "%6.4g", row->value);
			else
				xbuf_printf(&text, "%6s", "-");
		}
	}
	xbuf_puts(&text, "\n");
	page_lines(page, text.data);
	xbuf_release(&text);
}

static void put_rows(struct manual_page *page, const struct ss_pack *pack, int term)
{
	enum ss_release_term_id id = (enum ss_release_term_id)term;
	char text[700];
	bool is_first = true;

	for (size_t i = 0; i < pack->term_count; i++) {
		const struct ss_release_row *row = &pack->terms[i];

		if ((int)row->term != term)
			continue;
		if (is_first) {
			(void)snprintf(text, sizeof(text), "%s.", ss_release_term_text(id));
			page_item(page, ss_release_term_name(id), "", text);
		}
		is_first = false;
		(void)snprintf(text, sizeof(text), "%s%s%s%s%s%.6g (%s): %s. %s.",
			       *row->since ? "From " : "", row->since,
			       *row->until ? (*row->since ? " to " : "Up to ") : "", row->until,
			       *row->since || *row->until ? ": " : "Every release: ", row->value,
			       ss_method_name(row->method), row->reason, row->source);
		page_more(page, text);
	}
}

void topic_releases(struct manual_page *page)
{
	struct ss_registry *registry = NULL;
	const struct ss_pack *pack = NULL;
	struct roots roots;
	bool is_fallback;

	roots_find(&roots, NULL);
	if (ss_registry_new(&registry, (const char *const *)roots.items, roots.count, NULL) ==
	    SS_OK)
		pack = ss_registry_pack(registry, "vllm", SS_FALLBACK_RELEASE, &is_fallback, NULL);
	if (pack && pack->term_count) {
		page_heading(page, "By release");
		page_paragraph(
			page, "What the engine's start counts differs from release to release. "
			      "`-`: no figure is known of that release, and that of the release "
			      "priced is taken, which memory then says. Sizing by these figures is "
			      "a correction of the room each, never a term of a law.");
		put_table(page, pack);
		for (int term = 0; term < SS_RELEASE_TERM_COUNT; term++)
			put_rows(page, pack, term);
	}
	ss_registry_free(registry);
	roots_release(&roots);
}

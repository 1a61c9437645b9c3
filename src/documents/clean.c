#include "documents/clean.h"

void clean_text(char *text)
{
	char *to;

	/* Nearly every text is clean already. */
	while ((unsigned char)*text >= 0x20 && *text != 0x7f && (unsigned char)*text != 0xc2)
		text++;
	to = text;
	for (const char *at = text; *at; at++) {
		unsigned char c = (unsigned char)*at;

		/* U+0080..U+009F are C2 80..C2 9F and act on some terminals. */
		if (c == 0xc2 && (unsigned char)at[1] >= 0x80 && (unsigned char)at[1] < 0xa0) {
			*to++ = '?';
			at++;
		} else {
			*to++ = c < 0x20 || c == 0x7f ? '?' : *at;
		}
	}
	*to = '\0';
}

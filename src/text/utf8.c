#include "text/utf8.h"

size_t text_decode(const char *s, size_t len, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead;
	uint32_t value;
	size_t need, i;

	*cp = TEXT_REPLACEMENT;
	if (len == 0)
		return 0;
	lead = (unsigned char)s[0];
	if (lead < 0x80) {
		*cp = lead;
		return 1;
	}
	if (lead >= 0xc2 && lead < 0xe0)
		need = 2, value = lead & 0x1fu;
	else if (lead >= 0xe0 && lead < 0xf0)
		need = 3, value = lead & 0x0fu;
	else if (lead >= 0xf0 && lead < 0xf5)
		need = 4, value = lead & 0x07u;
	else
		return 1;
	if (len < need)
		return 1;
	for (i = 1; i < need; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c & 0xc0) != 0x80)
			return 1;
		value = value << 6 | (c & 0x3fu);
	}
	if (value < least[need] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 1;
	*cp = value;
	return need;
}

size_t text_encode(char out[4], uint32_t cp)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | (cp >> 18 & 0x07));
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

bool text_acts(uint32_t cp)
{
	static const uint32_t ranges[][2] = {
		{ 0, 0x1f },        { 0x7f, 0x9f },     { 0x61c, 0x61c },
		{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0001, 0xe007f },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (cp >= ranges[i][0] && cp <= ranges[i][1])
			return true;
	return false;
}

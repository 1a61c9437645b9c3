/**
 * @file
 * Text from outside made fit for a terminal.
 */
#ifndef DOCUMENTS_CLEAN_H
#define DOCUMENTS_CLEAN_H

/** Replace control characters (C0, DEL and C1) by '?', in place. */
void clean_text(char *text);

#endif

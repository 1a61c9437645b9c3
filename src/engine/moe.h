/**
 * @file
 * The conditions a MoE selector rule may hold.
 */
#ifndef ENGINE_MOE_H
#define ENGINE_MOE_H

/** Form of a condition's value in the pack. */
enum moe_form {
	MOE_FORM_NUMBERS, /* a number or a list of numbers */
	MOE_FORM_FIELD,   /* a setting of the family */
	MOE_FORM_MEMBER,  /* a setting and a member of it */
	MOE_FORM_TEXT,    /* a name */
};

/** Index of a key, or -1. */
int moe_condition_find(const char *key);

enum moe_form moe_condition_form(int key);

#endif

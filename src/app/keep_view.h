/**
 * @file
 * What is looked at, and what is being recorded, as JSON: the part of a kept session
 * that no edit can bring back.
 */
#ifndef APP_KEEP_VIEW_H
#define APP_KEEP_VIEW_H

#include <cjson/cJSON.h>

#include "app/app.h"

/** New items for the caller to attach or delete. */
cJSON *kept_view(const struct app *app);
cJSON *kept_recording(const struct tour_record *record);

/** Take them up again over a draft that is there already; what cannot be read is left. */
void kept_take_view(struct app *app, const cJSON *view);
void kept_take_recording(struct app *app, const cJSON *recording);

#endif

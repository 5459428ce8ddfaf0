/* write_model.h - a row of models.h as a GGUF file. */
#ifndef KVC_TEST_LIVE_WRITE_MODEL_H
#define KVC_TEST_LIVE_WRITE_MODEL_H

#include "live/models.h"

/* A row that says nothing sensible, and a file that cannot be written, end the program. */
void live_write_model(const struct live_model *model, const char *path);

#endif /* KVC_TEST_LIVE_WRITE_MODEL_H */

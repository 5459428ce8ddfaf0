/* options.h - the contexts that are made of each model, as a table or drawn. */
#ifndef KVC_TEST_LIVE_OPTIONS_H
#define KVC_TEST_LIVE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum live_flash { LIVE_FLASH_AUTO, LIVE_FLASH_ON, LIVE_FLASH_OFF };

/* 0 and NULL are the library's own defaults (n_ctx 0 is as many tokens as the model was trained on), but
 * swa_full is false where the library's is true. */
struct live_options {
    const char *name;
    uint32_t n_ctx, n_seq_max, n_batch, n_ubatch, n_rs_seq;
    const char *type_k, *type_v;
    enum live_flash flash;
    bool is_unified, swa_full;
};

#define LIVE_CONTEXTS 20 /* of a model */

/* From the table when the seed is 0; others are drawn, other ones for each model. */
struct live_options live_options(uint64_t seed, size_t model, size_t context);

#endif /* KVC_TEST_LIVE_OPTIONS_H */

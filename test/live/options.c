/* options.c - see options.h. */

#include "live/options.h"

static const struct live_options OPTIONS[] = {
    { "plain", .n_ctx = 4096 },
    { "trained", .n_ctx = 0 },
    { "slots", .n_ctx = 10000, .n_seq_max = 3 },
    { "shared", .n_ctx = 10000, .n_seq_max = 5, .is_unified = true },
    { "odd", .n_ctx = 600, .n_seq_max = 2, .n_ubatch = 128 },
    { "one-cell", .n_ctx = 1 },
    { "batches", .n_ctx = 8192, .n_batch = 128, .n_ubatch = 64, .n_seq_max = 2 },
    { "long", .n_ctx = 20480, .n_batch = 4096, .n_ubatch = 1024 },
    { "swa-full", .n_ctx = 4096, .n_seq_max = 2, .swa_full = true },
    { "q8_0", .n_ctx = 4096, .type_k = "q8_0", .type_v = "q8_0", .flash = LIVE_FLASH_ON },
    { "q4_0-q5_1", .n_ctx = 4096, .type_k = "q4_0", .type_v = "q5_1" },
    { "bf16-f32", .n_ctx = 4096, .n_seq_max = 2, .type_k = "bf16", .type_v = "f32" },
    { "no-flash", .n_ctx = 4096, .flash = LIVE_FLASH_OFF },
    { "no-flash-k", .n_ctx = 4096, .type_k = "q8_0", .flash = LIVE_FLASH_OFF },
    { "no-flash-v", .n_ctx = 4096, .type_v = "q8_0", .flash = LIVE_FLASH_OFF },
    { "no-flash-slots", .n_ctx = 1000, .n_seq_max = 3, .flash = LIVE_FLASH_OFF },
    { "shared-q5_0", .n_ctx = 3000, .n_seq_max = 4, .n_ubatch = 96, .is_unified = true,
      .type_k = "q5_0", .type_v = "q5_0" },
    { "many", .n_ctx = 16384, .n_seq_max = 48 },
    { "too-many", .n_ctx = 16384, .n_seq_max = 257 },
    { "rollback", .n_ctx = 2048, .n_seq_max = 2, .n_rs_seq = 3 },
};

_Static_assert(sizeof OPTIONS / sizeof OPTIONS[0] == LIVE_CONTEXTS, "a column each");

/* splitmix64: the same numbers everywhere. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint32_t draw_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(draw(state) % bound);
}

/* Around a power of two as often as not. */
static uint32_t draw_count(uint64_t *state, uint32_t bits)
{
    uint32_t near = UINT32_C(1) << draw_below(state, bits);
    if (draw_below(state, 2) == 0)
        return near + draw_below(state, 3) - (near > 1 ? 1 : 0);
    return 1 + draw_below(state, near);
}

static const char *draw_type(uint64_t *state)
{
    static const char *const TYPES[] = { "f16",  "f16",  "f16",  "q8_0",   "q8_0", "f32",
                                         "bf16", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1" };
    return TYPES[draw_below(state, sizeof TYPES / sizeof TYPES[0])];
}

static struct live_options drawn(uint64_t state)
{
    static const char NAMES[LIVE_CONTEXTS][4] = { "0",  "1",  "2",  "3",  "4",  "5",  "6",
                                                  "7",  "8",  "9",  "10", "11", "12", "13",
                                                  "14", "15", "16", "17", "18", "19" };
    struct live_options options = { .name = NAMES[state % LIVE_CONTEXTS] };
    draw(&state);
    options.n_ctx = draw_below(&state, 12) == 0 ? 0 : draw_count(&state, 16);
    options.n_seq_max = draw_below(&state, 3) == 0 ? 0 : draw_count(&state, 5);
    options.n_batch = draw_below(&state, 2) == 0 ? 0 : draw_count(&state, 12);
    options.n_ubatch = draw_below(&state, 2) == 0 ? 0 : draw_count(&state, 11);
    options.n_rs_seq = draw_below(&state, 3) == 0 ? draw_below(&state, 9) : 0;
    options.type_k = draw_type(&state);
    options.type_v = draw_below(&state, 2) == 0 ? options.type_k : draw_type(&state);
    options.flash = (enum live_flash)draw_below(&state, 3);
    options.is_unified = draw_below(&state, 2) == 0;
    options.swa_full = draw_below(&state, 4) == 0;
    return options;
}

struct live_options live_options(uint64_t seed, size_t model, size_t context)
{
    if (seed == 0)
        return OPTIONS[context];
    return drawn((seed * 4096 + model) * LIVE_CONTEXTS + context);
}

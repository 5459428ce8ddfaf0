/* recurrent.c - see recurrent.h for the room and its promises. */

#include "bytes/recurrent.h"

#include "bytes/elem.h"

/* A count that is divided among ranks: exactly, or it is remembered that it could not be. */
struct division {
    uint32_t tp;
    bool uneven;
    uint64_t uneven_count; /* the first that was */
};

static struct ck divided(struct division *d, struct ck count)
{
    if (!count.over && count.value % d->tp != 0 && !d->uneven) {
        d->uneven = true;
        d->uneven_count = count.value;
    }
    return ck_div_floor(count, d->tp);
}

static struct ck times(struct ck a, uint64_t b)
{
    return ck_mul(a, ck_u64(b));
}

static struct kvc_recurrent_parts mamba1(const uint32_t *dims, struct division *d)
{
    struct ck inner = divided(d, ck_u64(dims[1]));
    return (struct kvc_recurrent_parts){ .conv = times(inner, dims[0] - 1),
                                         .state = times(inner, dims[2]) };
}

static struct kvc_recurrent_parts mamba2(const uint32_t *dims, struct division *d)
{
    uint64_t groups = dims[2] % d->tp == 0 ? dims[2] : d->tp;
    struct ck keys = times(times(ck_u64(2), groups), dims[3]);
    struct ck channels = divided(d, ck_add(ck_u64(dims[1]), keys));
    struct ck heads = divided(d, ck_u64(dims[4]));
    return (struct kvc_recurrent_parts){ .conv = times(channels, dims[0] - 1),
                                         .state = times(times(heads, dims[5]), dims[3]) };
}

static struct kvc_recurrent_parts gated_delta_net(const uint32_t *dims, struct division *d)
{
    struct ck keys = times(times(ck_u64(2), dims[1]), dims[2]);
    struct ck values = times(ck_u64(dims[3]), dims[4]);
    struct ck channels = divided(d, ck_add(keys, values));
    struct ck heads = divided(d, ck_u64(dims[3]));
    return (struct kvc_recurrent_parts){ .conv = times(channels, dims[0] - 1),
                                         .state = times(times(heads, dims[4]), dims[2]) };
}

static struct kvc_recurrent_parts kda(const uint32_t *dims, struct division *d)
{
    struct ck heads = divided(d, ck_u64(dims[1]));
    struct ck width = times(heads, dims[2]);
    return (struct kvc_recurrent_parts){ .conv = times(times(width, 3), dims[0] - 1),
                                         .state = times(width, dims[2]) };
}

static struct kvc_recurrent_parts linear(const uint32_t *dims, struct division *d)
{
    struct ck heads = divided(d, ck_u64(dims[0]));
    return (struct kvc_recurrent_parts){ .conv = ck_u64(0),
                                         .state = times(times(heads, dims[1]), dims[1]) };
}

static struct kvc_recurrent_parts elements_of(const struct kvc_state *state, struct division *d)
{
    const uint32_t *dims = state->dims;
    switch (state->rule) {
    case KVC_RULE_MAMBA1:
        return mamba1(dims, d);
    case KVC_RULE_MAMBA2:
        return mamba2(dims, d);
    case KVC_RULE_GATED_DELTA_NET:
        return gated_delta_net(dims, d);
    case KVC_RULE_KDA:
        return kda(dims, d);
    case KVC_RULE_LINEAR:
        return linear(dims, d);
    case KVC_RULE_SHORT_CONV:
        return (struct kvc_recurrent_parts){ .conv =
                                                 times(divided(d, ck_u64(dims[1])), dims[0] - 1) };
    case KVC_RULE_RWKV:
        return (struct kvc_recurrent_parts){ .conv = times(ck_u64(dims[0]), dims[1]),
                                             .state = times(ck_u64(dims[1]), dims[2]) };
    default:
        return (struct kvc_recurrent_parts){ .conv = divided(d, ck_u64(dims[0])),
                                             .state = divided(d, ck_u64(dims[1])) };
    }
}

struct kvc_recurrent_parts kvc_recurrent_elements(const struct kvc_state *state, uint32_t tp)
{
    struct division division = { .tp = tp };
    struct kvc_recurrent_parts parts = elements_of(state, &division);
    parts.uneven = division.uneven;
    return parts;
}

static kvcap_code weigh(struct ck elements, enum kvc_format format, enum kvc_format dtype,
                        const char *at, uint64_t *ret_bytes, kvcap_error *err)
{
    uint64_t count = 0;
    kvcap_code rc = ck_take(elements, "elements of a recurrent state", &count, err);
    if (rc != KVCAP_OK)
        return rc;
    return kvc_elements_bytes(format == KVC_FORMAT_NONE ? dtype : format, count, at, ret_bytes,
                              err);
}

kvcap_code kvc_recurrent_bytes(const struct kvc_state *state, enum kvc_format dtype, uint32_t tp,
                               uint64_t *ret_bytes, kvcap_error *err)
{
    struct division division = { .tp = tp };
    struct kvc_recurrent_parts parts = elements_of(state, &division);
    if (division.uneven)
        return kvc_fail(err, KVC_CONTRACT_TP, "/parallel/tp",
                        "tp %u does not divide %llu of a %s state", (unsigned)tp,
                        (unsigned long long)division.uneven_count, kvc_rule_row(state->rule)->name);

    const struct kvc_rule_row *row = kvc_rule_row(state->rule);
    uint64_t conv_bytes = 0, state_bytes = 0;
    kvcap_code rc = KVCAP_OK;
    if (row->has_conv)
        rc = weigh(parts.conv, state->conv_format, dtype, "/conv_format", &conv_bytes, err);
    if (rc == KVCAP_OK && row->has_state)
        rc = weigh(parts.state, state->state_format, dtype, "/state_format", &state_bytes, err);
    if (rc != KVCAP_OK)
        return rc;
    return ck_take(ck_add(ck_u64(conv_bytes), ck_u64(state_bytes)), "bytes of a recurrent state",
                   ret_bytes, err);
}

/* Goal: whatever a person writes as a quantity is exactly that, or refused; whatever is written for
 * a person reads back.
 *
 * What must hold: an accepted text is digits, a fraction and a unit of ours, and its value divides
 * back into them; the exact text of a number reads back as it; the texts fit their room. */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"
#include "base/unit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct unit {
    const char *name;
    uint64_t value;
};

static const struct unit BYTES[] = {
    { "KiB", 1024 },
    { "MiB", UINT64_C(1) << 20 },
    { "GiB", UINT64_C(1) << 30 },
    { "TiB", UINT64_C(1) << 40 },
    { "KB", 1000 },
    { "MB", 1000000 },
    { "GB", 1000000000 },
    { "TB", UINT64_C(1000000000000) },
    { "B", 1 },
    { NULL, 1 },
};

static const struct unit COUNTS[] = {
    { "k", 1024 }, { "K", 1024 }, { "m", UINT64_C(1) << 20 }, { "M", UINT64_C(1) << 20 },
    { NULL, 1 },
};

/* value == (whole + fraction / 10^places) * unit, taken apart so that nothing overflows. */
static void check_exact(struct kvc_span text, const struct unit *units, uint64_t value)
{
    const struct unit *unit = units;
    while (unit->name != NULL && !kvc_span_ends(text, unit->name))
        unit++;
    size_t i = 0, end = text.length - (unit->name == NULL ? 0 : strlen(unit->name));
    uint64_t whole = 0, fraction = 0, tens = 1;
    for (; i < end && text.text[i] >= '0' && text.text[i] <= '9'; i++)
        whole = whole * 10 + (uint64_t)(text.text[i] - '0');
    assert(i > 0);
    if (i < end && text.text[i] == '.') {
        for (i++; i < end && text.text[i] >= '0' && text.text[i] <= '9'; i++, tens *= 10)
            fraction = fraction * 10 + (uint64_t)(text.text[i] - '0');
        assert(text.text[i - 1] != '.');
    }
    assert(i == end || (unit->name != NULL && i + 1 == end && text.text[i] == ' '));
    assert(value / unit->value == whole);
    assert((kvc_u128)(value % unit->value) * tens == (kvc_u128)fraction * unit->value);
}

static void check_written(uint64_t value)
{
    char gib[KVC_UNIT_ROOM], exact[KVC_UNIT_ROOM], thousands[KVC_UNIT_ROOM];
    uint64_t again = ~value;
    kvc_unit_gib(value, gib);
    kvc_unit_exact(value, exact);
    kvc_unit_thousands(value, thousands);
    assert(strlen(gib) <= 15 && strlen(thousands) <= 26); /* kvcap_gib_text promises 16 */
    assert(gib[strlen(gib) - 4] == '.');
    assert(kvc_unit_bytes(kvc_span_of(exact), "", &again, NULL) == KVCAP_OK && again == value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kvc_span text = { (const char *)data, size };
    uint64_t value = 77;
    kvcap_error err;
    if (kvc_unit_bytes(text, "--pool", &value, &err) == KVCAP_OK)
        check_exact(text, BYTES, value);
    else
        assert(value == 77 && err.code == KVCAP_E_USAGE);
    value = 77;
    if (kvc_unit_count(text, "--ctx", &value, &err) == KVCAP_OK)
        check_exact(text, COUNTS, value);
    else
        assert(value == 77 && err.code == KVCAP_E_USAGE);
    if (size >= sizeof value) {
        memcpy(&value, data, sizeof value);
        check_written(value);
    }
    return 0;
}

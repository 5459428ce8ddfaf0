/* Goal: a device's numbers are stated with places that can be looked up, a name means one device,
 * and what is not known is absent.
 * Method: every row looked at; figures that drivers are known to print; the rounding of a printed GiB
 * undone by hand. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "meta/devices.h"
#include "meta/name.h"
#include "support/fixture.h"
#include "support/place_text.h"

static const struct kvc_device *device_of(const char *name)
{
    const struct kvc_device *device = NULL;
    kvcap_error err;
    must(kvc_device_find(kvc_span_of(name), &device, &err), &err);
    return device;
}

static void every_number_has_a_source_and_no_source_lacks_its_number(void **state)
{
    (void)state;
    const struct kvc_device *d;
    size_t count = 0;
    for (; (d = kvc_device_at(count)) != NULL; count++) {
        if ((d->nominal.gb != 0) != (d->nominal.source != NULL) ||
            (d->driver.bytes != 0) != (d->driver.source != NULL) ||
            (d->driver.bytes != 0) != (d->driver.tool != NULL) ||
            (d->runtime.gib_100 != 0 || d->runtime.bytes != 0) != (d->runtime.source != NULL) ||
            (d->called.name != NULL) != (d->called.source != NULL) ||
            (d->bandwidth.mb_per_s != 0) != (d->bandwidth.source != NULL))
            fail_msg("%s has a number without source, or the other way round", d->name);
        assert_non_null(d->vendor);
    }
    assert_true(count >= 60);
}

static void a_text_that_leads_nowhere_is_told_from_a_place(void **state)
{
    (void)state;
    assert_true(has_address("github.com/pytorch/ao/pull/4002 (2026-03-05)"));
    assert_false(has_address("the product's name"));
    assert_false(has_address("nvidia-smi tables in public repositories, and/or logs"));
    assert_false(has_address("hmc-tech.com, GeForce RTX 4090"));
    assert_true(has_revision("github.com/thamada/gls@ecc9fb5, gls/A10_smi.py"));
    assert_true(has_revision("github.com/pytorch/ao/pull/4002 (2026-03-05)"));
    assert_true(has_revision("github.com/huggingface/transformers v5.0.0rc1"));
    assert_false(has_revision("github.com/pytorch/ao, a B200's properties: 178.35 GiB"));
    assert_false(has_revision("docs.cloud.google.com/tpu/docs/v5e"));
    assert_false(has_revision("github.com/thamada/gls@main"));
}

static void must_lead_somewhere(const struct kvc_device *d, const char *source)
{
    if (source == NULL)
        return;
    if (!has_address(source) || !(has_revision(source) || is_vendor_page(source)))
        fail_msg("%s: nobody can look up \"%s\"", d->name, source);
}

static void every_source_can_be_looked_up(void **state)
{
    (void)state;
    const struct kvc_device *d;
    for (size_t i = 0; (d = kvc_device_at(i)) != NULL; i++) {
        must_lead_somewhere(d, d->called.source);
        must_lead_somewhere(d, d->nominal.source);
        must_lead_somewhere(d, d->driver.source);
        must_lead_somewhere(d, d->runtime.source);
        must_lead_somewhere(d, d->bandwidth.source);
        /* A note with a number is a source as well. */
        if (d->note != NULL && strpbrk(d->note, "0123456789") != NULL && !has_address(d->note))
            fail_msg("%s: the note \"%s\" has a number from nowhere", d->name, d->note);
    }
}

static void memory_is_near_what_the_vendor_says(void **state)
{
    (void)state;
    const struct kvc_device *d;
    for (size_t i = 0; (d = kvc_device_at(i)) != NULL; i++) {
        uint64_t nominal = (uint64_t)d->nominal.gb * 1000000000;
        if (nominal == 0 || d->driver.bytes == 0)
            continue;
        if (d->driver.bytes < nominal / 10 * 9 || d->driver.bytes > nominal / 10 * 11)
            fail_msg("%s is sold with %u GB and reports %llu bytes", d->name,
                     (unsigned)d->nominal.gb, (unsigned long long)d->driver.bytes);
    }
}

static void names_are_sorted_and_mean_one_device(void **state)
{
    (void)state;
    const struct kvc_device *d, *before = NULL;
    for (size_t i = 0; (d = kvc_device_at(i)) != NULL; i++, before = d) {
        assert_ptr_equal(device_of(d->name), d);
        if (d->called.name != NULL)
            assert_ptr_equal(device_of(d->called.name), d);
        if (before != NULL &&
            kvc_name_compare(kvc_span_of(before->name), kvc_span_of(d->name)) >= 0)
            fail_msg("%s does not stand in order", d->name);
    }
}

static void drivers_print_these(void **state)
{
    (void)state;
    /* nvidia-smi: 81559MiB, 81920MiB, 24564MiB, 15360MiB */
    assert_int_equal(device_of("NVIDIA H100 80GB HBM3")->driver.bytes, UINT64_C(81559) << 20);
    assert_int_equal(device_of("a100 sxm4 80gb")->driver.bytes, UINT64_C(80) << 30);
    assert_int_equal(device_of("GeForce RTX 4090 24GB")->driver.bytes, UINT64_C(24564) << 20);
    assert_int_equal(device_of("Tesla T4")->driver.bytes, UINT64_C(15) << 30);
    assert_int_equal(device_of("Instinct MI300X 192GB")->driver.bytes, UINT64_C(206141652992));
    assert_int_equal(device_of("A100 PCIe 80GB")->driver.bytes, 0); /* not known */
}

static void a_printed_gib_is_a_range_and_exact_bytes_are_not(void **state)
{
    (void)state;
    uint64_t least, most;
    /* 178.35 GiB is printed of anything within 178.345 and 178.355 GiB:
     * 178.345 * 2^30 = 191496485601.28, 178.355 * 2^30 = 191507223019.52 */
    kvc_device_runtime_bytes(device_of("NVIDIA B200"), &least, &most);
    assert_int_equal(least, UINT64_C(191496485602));
    assert_int_equal(most, UINT64_C(191507223019));
    kvc_device_runtime_bytes(device_of("Tesla T4"), &least, &most);
    assert_int_equal(least, 0);
    assert_int_equal(most, 0);
    /* deviceQuery: "81106 MBytes (85045477376 bytes)" */
    kvc_device_runtime_bytes(device_of("H100 SXM5 80GB"), &least, &most);
    assert_int_equal(least, UINT64_C(85045477376));
    assert_int_equal(most, UINT64_C(85045477376));
}

static void a_name_that_none_has_is_refused_with_the_nearest(void **state)
{
    (void)state;
    const struct kvc_device *device = NULL;
    kvcap_error err;
    must_refuse(kvc_device_find(kvc_span_of("h100"), &device, &err), &err, "usage.unknown_name",
                "");
    assert_non_null(strstr(err.text, "H100 NVL 94GB, H100 PCIe 80GB, H100 SXM5 80GB"));
    must_refuse(kvc_device_find(kvc_span_of("H110"), &device, &err), &err, "usage.unknown_name",
                "");
    assert_non_null(strstr(err.text, "H100"));
    must_refuse(kvc_device_find(kvc_span_of("abacus"), &device, &err), &err, "usage.unknown_name",
                "");
    assert_string_equal(err.text, "no device is called \"abacus\"");
    assert_null(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_has_a_source_and_no_source_lacks_its_number),
        cmocka_unit_test(a_text_that_leads_nowhere_is_told_from_a_place),
        cmocka_unit_test(every_source_can_be_looked_up),
        cmocka_unit_test(memory_is_near_what_the_vendor_says),
        cmocka_unit_test(names_are_sorted_and_mean_one_device),
        cmocka_unit_test(drivers_print_these),
        cmocka_unit_test(a_printed_gib_is_a_range_and_exact_bytes_are_not),
        cmocka_unit_test(a_name_that_none_has_is_refused_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

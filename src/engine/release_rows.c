/* release_rows.c - the releases of which the day is known, and what was read.  Declared in release.h.
 *
 * A release of vLLM is a branch, cut from main some days before it is published, to which single fixes are
 * brought later.  Where the day of the cut is not public, the day of publication stands for it, but where
 * the notes or logs of a release show on which side of a change it lies: then the day is one on that side,
 * and the row says what shows it.  A patch release has the day of the release that it patches, for main
 * did not enter it again. */

#include "engine/release.h"

/* clang-format off */
#define V(version, day) { version, day, 0, "day of publication (release page of the tag)" }
#define PATCH(version, day, of) { version, day, 0, "a patch of " of " (its release notes)" }

static const struct kvc_release_row VLLM[] = {
    V("0.1.0", 20230620),  V("0.1.1", 20230622),  V("0.1.2", 20230705),  V("0.1.3", 20230802),
    V("0.1.4", 20230825),  V("0.1.5", 20230907),  V("0.1.6", 20230908),  V("0.1.7", 20230911),
    V("0.2.0", 20230928),  V("0.2.1", 20231016),  V("0.2.1.post1", 20231017), V("0.2.2", 20231119),
    V("0.2.3", 20231203),  V("0.2.4", 20231211),  V("0.2.5", 20231214),  V("0.2.6", 20231217),
    V("0.2.7", 20240104),  V("0.3.0", 20240131),  V("0.3.1", 20240216),  V("0.3.2", 20240221),
    V("0.3.3", 20240301),  V("0.4.0", 20240330),  V("0.4.0.post1", 20240402), V("0.4.1", 20240424),
    V("0.4.2", 20240505),  V("0.4.3", 20240601),  V("0.5.0", 20240611),  V("0.5.0.post1", 20240614),
    V("0.5.1", 20240705),  V("0.5.2", 20240715),  V("0.5.3", 20240723),  V("0.5.3.post1", 20240723),
    V("0.5.4", 20240805),  V("0.5.5", 20240823),  V("0.6.0", 20240904),  V("0.6.1", 20240911),
    V("0.6.1.post1", 20240913), V("0.6.1.post2", 20240913), V("0.6.2", 20240925), V("0.6.3", 20241014),
    V("0.6.3.post1", 20241017), V("0.6.4", 20241115), V("0.6.4.post1", 20241115), V("0.6.5", 20241217),
    V("0.6.6", 20241227),  V("0.6.6.post1", 20241227), V("0.7.0", 20250127), V("0.7.1", 20250201),
    V("0.7.2", 20250206),  V("0.7.3", 20250220),  V("0.8.0", 20250318),  V("0.8.1", 20250319),
    V("0.8.2", 20250323),  V("0.8.3", 20250406),  V("0.8.4", 20250414),  V("0.8.5", 20250428),
    PATCH("0.8.5.post1", 20250428, "0.8.5"),
    { "0.9.0", 20250528, 0, "day of publication (package index)" },
    PATCH("0.9.0.1", 20250528, "0.9.0"),
    V("0.9.1", 20250610),  V("0.9.2", 20250707),  V("0.10.0", 20250724), V("0.10.1", 20250818),
    PATCH("0.10.1.1", 20250818, "0.10.1"),
    V("0.10.2", 20250913), V("0.11.0", 20251002), V("0.11.1", 20251118),
    PATCH("0.11.2", 20251118, "0.11.1"),
    V("0.12.0", 20251203), V("0.13.0", 20251219), V("0.14.0", 20260120),
    PATCH("0.14.1", 20260120, "0.14.0"),
    V("0.15.0", 20260129),
    PATCH("0.15.1", 20260129, "0.15.0"),
    { "0.16.0", 20260208, 0, "the branch was cut on 2026-02-08 (reports on it); published 2026-02-25" },
    { "0.17.0", 20260306, 0, "published 2026-03-07; PR 30515 of that day is in the notes of 0.18.0" },
    PATCH("0.17.1", 20260306, "0.17.0"),
    { "0.18.0", 20260320, 0, "day of publication; its notes name PR 37006, later than 2026-03-12" },
    PATCH("0.18.1", 20260320, "0.18.0"),
    V("0.19.0", 20260403),
    PATCH("0.19.1", 20260403, "0.19.0"),
    { "0.20.0", 20260427, 0, "day of publication; its notes name PR 38284 of 2026-04-21, though "
                             "vllm/config/cache.py says 0.21.0, and those of 0.20.1 PR 41069 of 2026-04-28" },
    { "0.20.1", 20260428, 0, "a patch of 0.20.0 whose notes name PR 41069 of 2026-04-28; published 2026-05-04" },
    PATCH("0.20.2", 20260428, "0.20.1"),
    V("0.21.0", 20260515), V("0.22.0", 20260529),
    PATCH("0.22.1", 20260529, "0.22.0"),
    V("0.23.0", 20260615), V("0.24.0", 20260629),
    { "0.25.0", 20260707, 0, "published 2026-07-11, without PR 47728 of 2026-07-08 (as 0.25.1)" },
    PATCH("0.25.1", 20260707, "0.25.0"),
    { "0.26.0", 20260709, 20260721, "published 2026-07-25, with PR 47728 of 2026-07-08; compressed models "
                                    "are laid out as in 0.25.1, which changed on 2026-07-22" },
    V("0.27.0", 20260810),
    PATCH("0.27.1", 20260810, "0.27.0"),
    { "0.28.0", 20260817, 0, "published 2026-08-26, after the last day that was read: the rules of that day" },
};

/* llama.cpp numbers its builds by commits of master.  Where another project names the build that it shipped
 * with, the build is of that day or the two before it. */
#define TAG(build, day) { build, day, 0, "the tag's own day (release page)" }
#define SHIPPED(build, from, day, by) { build, from, day, "shipped with " by }
static const struct kvc_release_row LLAMACPP[] = {
    { "b1", 20230310, 0, "the first commit" },
    TAG("b1767", 20240104), TAG("b1796", 20240109),
    SHIPPED("b1961", 20240122, 20240124, "node-llama-cpp 3.0.0-beta.5"),
    SHIPPED("b2060", 20240203, 20240205, "node-llama-cpp 3.0.0-beta.7"),
    TAG("b2382", 20240310),
    SHIPPED("b3265", 20240628, 20240630, "node-llama-cpp 3.0.0-beta.34"),
    SHIPPED("b3504", 20240731, 20240802, "node-llama-cpp 3.0.0-beta.41"),
    SHIPPED("b3543", 20240808, 20240810, "node-llama-cpp 3.0.0-beta.44"),
    SHIPPED("b3825", 20240923, 20240925, "node-llama-cpp 3.0.3"),
    SHIPPED("b3887", 20241003, 20241005, "node-llama-cpp 3.1.0"),
    TAG("b4371", 20241220),
    SHIPPED("b4599", 20250128, 20250130, "node-llama-cpp 3.4.3"),
    { "b5050", 20250403, 20250405, "built on 2025-04-05 (github.com/kreier/jetson)" },
    { "b5074", 20250407, 20250408, "PR 12791, built from a copy of the repository on 2025-04-08" },
    SHIPPED("b5331", 20250507, 20250509, "a copy of node-llama-cpp, 1.1.2"),
    SHIPPED("b5423", 20250517, 20250519, "a copy of node-llama-cpp, 1.3.0"),
    SHIPPED("b5593", 20250603, 20250605, "a copy of node-llama-cpp, 1.4.0"),
    { "b6082", 20250803, 20250808, "packaged by 2025-08-08 (anaconda.org/main/llama.cpp)" },
    TAG("b6469", 20250914), TAG("b6497", 20250917), TAG("b6591", 20250926), TAG("b6653", 20250930),
    TAG("b6670", 20251002),
    SHIPPED("b6845", 20251024, 20251026, "node-llama-cpp 3.14.2"),
    TAG("b6920", 20251102), TAG("b6959", 20251105), TAG("b6971", 20251107), TAG("b6980", 20251108),
    TAG("b7058", 20251114), TAG("b7109", 20251120), TAG("b7151", 20251125), TAG("b7213", 20251201),
    SHIPPED("b7324", 20251206, 20251208, "node-llama-cpp 3.14.4"),
    SHIPPED("b7347", 20251208, 20251210, "node-llama-cpp 3.14.5"),
    TAG("b7622", 20260103), TAG("b7624", 20260104),
    { "b8149", 20260223, 20260225, "the newest on 2026-02-25 (github.com/netanel-haber/dash-dash-help)" },
    SHIPPED("b8169", 20260225, 20260227, "node-llama-cpp 3.17.0"),
    { "b8555", 20260325, 20260327, "the newest on 2026-03-27 (a package's change log)" },
    TAG("b8779", 20260413), TAG("b8828", 20260417), TAG("b8843", 20260419), TAG("b8951", 20260427),
    TAG("b8953", 20260428), TAG("b9090", 20260509),
    { "b9564", 20260607, 20260609, "packaged on 2026-06-09 (Alpine, community/llama.cpp)" },
    { "b9982", 20260711, 20260713, "the newest on 2026-07-13 (releases/latest)" },
    { "b10107", 20260723, 20260724, "mirrored on 2026-07-24 (sourceforge.net/projects/llama-cpp.mirror)" },
    TAG("b10293", 20260806), TAG("b10431", 20260814), TAG("b10825", 20260906), TAG("b10835", 20260907),
    { "0.3.0", 20260814, 20260904, "tagged at b10621, between b10431 of 2026-08-14 and 0.4.0" },
    { "0.4.0", 20260904, 0, "day of publication (release page of the tag)" },
};
/* clang-format on */

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

const struct kvc_release_row *kvc_releases_of(enum kvc_engine_id engine, size_t *ret_count)
{
    *ret_count = 0;
    if (engine == KVC_ENGINE_VLLM) {
        *ret_count = COUNT(VLLM);
        return VLLM;
    }
    if (engine == KVC_ENGINE_LLAMACPP) {
        *ret_count = COUNT(LLAMACPP);
        return LLAMACPP;
    }
    return NULL;
}

/* vLLM: main at 017e9f4.  llama.cpp: 0.4.0, as it was packaged on that day. */
uint32_t kvc_release_last_day(enum kvc_engine_id engine)
{
    return engine == KVC_ENGINE_VLLM ? 20260817 : engine == KVC_ENGINE_LLAMACPP ? 20260912 : 0;
}

uint32_t kvc_release_first_day(enum kvc_engine_id engine)
{
    size_t count;
    const struct kvc_release_row *rows = kvc_releases_of(engine, &count);
    return count == 0 ? 0 : rows[0].day;
}

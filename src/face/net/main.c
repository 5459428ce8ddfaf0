/* main.c - kvcap-net: what of kvcap needs the network.
 *
 * A program of its own, which kvcap runs as git runs its own: libcurl brings some thirty libraries
 * along, and every start of kvcap would wait for them.  People rarely call it by hand. */

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "face/cli/cli.h"
#include "face/net/fetch.h"
#include "os/os.h"

/* Of lists and headers: what a hostile hub can make it cost. */
#define MEMORY_BYTES_MAX ((size_t)1024 * 1024 * 1024)

static int fetch(const struct kvc_call *call);

static const struct kvc_flag FETCH_FLAGS[] = {
    { "offline", NULL, "use the cache alone; HF_HUB_OFFLINE=1 says the same", false },
    { "progress", "FD", "tell how far it is on that descriptor (default: a terminal's 2)", false },
    { "json", NULL, "print refusals as JSON", false },
    { "help", NULL, "show this", false },
};

const char kvc_program[] = "kvcap-net";

const struct kvc_verb kvc_verbs[] = {
    { .name = "fetch",
      .sentence = "Bring a model's configuration and headers into the cache; never its weights.",
      .operands = "hf:ORG/NAME[@REV][/FILE]",
      .operands_min = 1,
      .operands_max = 1,
      .example = "kvcap-net fetch hf:Qwen/Qwen3-8B\n"
                 "kvcap-net fetch hf:Qwen/Qwen3-8B-GGUF@main/Qwen3-8B-Q8_0.gguf",
      .flags = FETCH_FLAGS,
      .flags_count = sizeof FETCH_FLAGS / sizeof FETCH_FLAGS[0],
      .run = fetch },
};

const size_t kvc_verbs_count = sizeof kvc_verbs / sizeof kvc_verbs[0];

static void help_of_environment(FILE *out)
{
    fputs("\nPrints the path of a manifest: which files, how long, where their beginnings lie.\n"
          "\nEnvironment:\n"
          "  HF_ENDPOINT              the hub (default: https://huggingface.co)\n"
          "  HF_TOKEN                 sent to the hub itself, never where it redirects to\n"
          "  HF_HUB_OFFLINE           1: use the cache alone\n"
          "  KVCAP_CACHE              default: $XDG_CACHE_HOME/kvcap, else ~/.cache/kvcap\n"
          "  KVCAP_NET_CONNECT_MS     until the connection stands (default: 10000)\n"
          "  KVCAP_NET_STALL_SECONDS  end a request that is slow for so long (default: 30)\n"
          "  KVCAP_NET_STALL_BYTES    slow is fewer bytes a second than this (default: 100)\n"
          "  KVCAP_NET_TOTAL_SECONDS  end any request after so long (default: 900)\n"
          "  KVCAP_NET_RETRIES        after a server's failure, or a body that broke off (default: "
          "3)\n"
          "  KVCAP_NET_BACKOFF_MS     before the first retry, doubled for the next (default: 500)\n"
          "  https_proxy, no_proxy    as for curl; CURL_CA_BUNDLE, SSL_CERT_FILE likewise\n",
          out);
}

static void help(FILE *out)
{
    fputs("kvcap-net: what of kvcap needs the network; kvcap runs it by itself.\n\n", out);
    for (size_t i = 0; i < kvc_verbs_count; i++)
        fprintf(out, "  kvcap-net %-9s %s\n", kvc_verbs[i].name, kvc_verbs[i].sentence);
    fputs("\nkvcap-net VERB --help shows an example first, then the flags and the environment.\n"
          "Exit: 0 done, 2 usage or nonsense from the hub, 4 the world failed.\n",
          out);
}

/* --progress FD, or standard error where that is a terminal and nobody reads it as JSON. */
static kvcap_code read_progress(const struct kvc_call *call, int *ret_descriptor, kvcap_error *err)
{
    uint64_t descriptor = 0;
    kvcap_code rc = kvc_count_flag(call, "progress", 1, 255, &descriptor, err);
    *ret_descriptor = (int)descriptor;
    if (descriptor == 0)
        *ret_descriptor = !call->json && isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : -1;
    return rc;
}

static kvcap_code fetch_into(const struct kvc_call *call, struct kvc_arena *arena,
                             const char **ret_manifest, kvcap_error *err)
{
    struct kvc_net_settings settings;
    struct kvc_hub_name name;
    kvcap_code rc = kvc_hub_name_read(call->words[0], &name, err);
    if (rc == KVCAP_OK)
        rc = kvc_net_settings_read(arena, &settings, err);
    if (rc == KVCAP_OK)
        rc = read_progress(call, &settings.progress, err);
    if (rc != KVCAP_OK)
        return rc;
    settings.offline = settings.offline || kvc_given(call, "offline");
    return kvc_fetch(&settings, &name, arena, ret_manifest, err);
}

static int fetch(const struct kvc_call *call)
{
    struct kvc_arena arena;
    kvcap_error error;
    const char *manifest;
    kvc_arena_from(&arena, &kvc_os_memory, MEMORY_BYTES_MAX);
    int status = KVC_EXIT_YES;
    if (fetch_into(call, &arena, &manifest, &error) == KVCAP_OK)
        printf("%s\n", manifest);
    else
        status = kvc_refused(call, &error);
    kvc_arena_drop(&arena);
    return status;
}

static const char *verb_name(const void *context, size_t index)
{
    (void)context;
    return index < kvc_verbs_count ? kvc_verbs[index].name : NULL;
}

static int unknown_verb(const char *word)
{
    const char *nearest = kvc_nearest(word, verb_name, NULL);
    kvcap_error error;
    kvc_fail(&error, KVC_USAGE_UNKNOWN_VERB, word, "there is no such verb%s%s",
             nearest == NULL ? "" : "; the nearest is ", nearest == NULL ? "" : nearest);
    return kvc_refused(NULL, &error);
}

static int run_verb(const struct kvc_verb *verb, int argc, char **argv)
{
    struct kvc_call call;
    kvcap_error error;
    int status = KVC_EXIT_YES;
    if (kvc_call_parse(verb, argc, argv, &call, &error) != KVCAP_OK) {
        status = kvc_refused(&call, &error);
    } else if (kvc_given(&call, "help")) {
        kvc_help_verb(verb, stdout);
        help_of_environment(stdout);
    } else {
        status = verb->run(&call);
    }
    status = kvc_finish_output(&call, status);
    kvc_call_drop(&call);
    return status;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    const char *word = argc < 2 ? "--help" : argv[1];
    for (size_t i = 0; i < kvc_verbs_count; i++) {
        if (strcmp(word, kvc_verbs[i].name) == 0)
            return run_verb(&kvc_verbs[i], argc - 2, argv + 2);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        help(stdout);
    else if (strcmp(word, "--version") == 0)
        printf("kvcap-net %s\n", kvcap_version());
    else
        return unknown_verb(word);
    return kvc_finish_output(NULL, KVC_EXIT_YES);
}

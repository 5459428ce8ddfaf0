/* status.c - see status.h for the room and its promises. */

#include "face/net/status.h"

#include <string.h>

bool kvc_status_redirects(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool kvc_status_may_pass(long status)
{
    return status == 500 || status == 502 || status == 503 || status == 504;
}

/* The hub says in a header of its own what was not found (X-Error-Code, as huggingface_hub 0.2x reads
 * it); a plain server leaves it to what was asked. */
static kvcap_code not_found(const struct kvc_head *head, const struct kvc_asked *asked,
                            kvcap_error *err)
{
    if (strcmp(head->error, "RevisionNotFound") == 0)
        return kvc_fail(err, KVC_NET_NO_REVISION, asked->url,
                        "the repository has no such revision");
    if (strcmp(head->error, "EntryNotFound") == 0 || (head->error[0] == '\0' && !asked->listing))
        return kvc_fail(err, KVC_NET_NO_FILE, asked->url, "the repository has no such file");
    return kvc_fail(err, KVC_NET_NO_REPOSITORY, asked->url, "there is no such repository%s",
                    head->error[0] == '\0' ? " or revision" : "");
}

static kvcap_code unauthorized(const struct kvc_head *head, const struct kvc_asked *asked,
                               kvcap_error *err)
{
    const char *why = asked->with_token ? "the token of HF_TOKEN was not accepted"
                                        : "the repository is gated, private or not there, and "
                                          "HF_TOKEN is not set";
    if (strcmp(head->error, "GatedRepo") == 0)
        why = asked->with_token ? "the repository is gated, and this token may not read it"
                                : "the repository is gated, and HF_TOKEN is not set";
    return kvc_fail(err, KVC_NET_UNAUTHORIZED, asked->url, "%s (401)", why);
}

kvcap_code kvc_status_refuse(long status, const struct kvc_head *head,
                             const struct kvc_asked *asked, kvcap_error *err)
{
    switch (status) {
    case 401:
        return unauthorized(head, asked, err);
    case 403:
        return kvc_fail(err, KVC_NET_FORBIDDEN, asked->url, "%s (403)",
                        asked->with_token ? "this token may not read the repository"
                                          : "the repository may not be read without a token");
    case 404:
        return not_found(head, asked, err);
    case 416:
        return kvc_fail(err, KVC_NET_RANGE, asked->url,
                        "the server has no such bytes of the file (416)");
    case 429:
        return kvc_fail(err, KVC_NET_TOO_MANY, asked->url, "too many requests (429)%s%s",
                        head->retry_after[0] == '\0' ? "" : "; Retry-After: ", head->retry_after);
    default:
        break;
    }
    if (status >= 500 && status <= 599)
        return kvc_fail(err, KVC_NET_SERVER, asked->url, "the server failed (%ld)", status);
    return kvc_fail(err, KVC_NET_STATUS, asked->url, "the server answers %ld", status);
}

/* hub_server.h - a hub that answers as a test tells it: a small HTTP server on 127.0.0.1.
 *
 * In:     a list of answers, each for one request target.
 * Out:    its address; what was asked of it, in order.
 *
 * One thread, one connection at a time, closed after each answer; the port is the kernel's choice.
 * The answers may be changed between requests, not during one.  Whatever goes wrong here fails the
 * running test.
 */
#ifndef KVC_TEST_HUB_SERVER_H
#define KVC_TEST_HUB_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hub_manner {
    HUB_WHOLE,   /* 200 and all of it, whatever range is asked for */
    HUB_RANGES,  /* 206 and the range, where one is asked for; 416 past the end */
    HUB_CHUNKED, /* as HUB_WHOLE, in chunks of seven bytes, without a length */
    HUB_CUT,     /* as HUB_RANGES, broken off after half of the body */
    HUB_STALL,   /* half of the body, then silence until the server is stopped */
    HUB_DRIP,    /* as HUB_RANGES, each byte of the answer sent by itself */
    HUB_RAW,     /* the body is the whole answer, its status line too */
};

struct hub_answer {
    const char *target; /* "/a/b/resolve/..."; NULL answers anything */
    const char *body;
    size_t length;     /* 0: strlen(body) */
    uint64_t zeros;    /* that follow the body */
    int status;        /* 0: 200, or 206 */
    const char *lines; /* more of the header: "ETag: \"x\"\r\n" */
    unsigned times;    /* answers so many requests, then the next entry of its target; 0: all */
    enum hub_manner manner;
};

struct hub_request {
    char target[2048];
    char range[64];          /* "0-65535", or "" */
    char authorization[160]; /* or "" */
    uint64_t sent;           /* bytes of the body that were handed to the kernel */
};

struct hub_server;

/* The answers are copied; what they point to is borrowed. */
struct hub_server *hub_server_start(const struct hub_answer *answers, size_t count);
void hub_server_stop(struct hub_server *server);

/* "http://127.0.0.1:PORT"; lives with the server. */
const char *hub_server_url(const struct hub_server *server);

void hub_server_answer(struct hub_server *server, const struct hub_answer *answers, size_t count);

/* How many requests came since it was started, or since the last hub_server_forget. */
size_t hub_server_count(struct hub_server *server);
struct hub_request hub_server_request(struct hub_server *server, size_t index);
void hub_server_forget(struct hub_server *server);

/* Returns when all that was asked so far is answered, or was hung up on: from then on `sent` stands. */
void hub_server_settle(const struct hub_server *server);

#endif /* KVC_TEST_HUB_SERVER_H */

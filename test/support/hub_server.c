/* hub_server.c - see hub_server.h. */

#include "support/hub_server.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWERS_MAX 400
#define REQUESTS_MAX 2000
#define STALLED_MAX 16
#define HEAD_ROOM 16384

struct hub_server {
    int listener;
    int stop[2]; /* a pipe: closed at one end, it wakes the thread */
    pthread_t thread;
    pthread_mutex_t lock; /* of answers and requests */
    in_port_t port;       /* in network order */
    char url[64];
    struct hub_answer answers[ANSWERS_MAX];
    size_t answers_count;
    struct hub_request *requests;
    size_t requests_count;
    int stalled[STALLED_MAX];
    size_t stalled_count;
};

/* ---- Sending.  What cannot be sent was hung up on, and that is the client's good right. */

static bool send_all(int to, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(to, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool send_each(int to, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!send_all(to, bytes + i, 1))
            return false;
    }
    return true;
}

static bool send_in(enum hub_manner manner, int to, const char *bytes, size_t length)
{
    return manner == HUB_DRIP ? send_each(to, bytes, length) : send_all(to, bytes, length);
}

static bool send_chunks(int to, const char *bytes, size_t length)
{
    char chunk[32];
    for (size_t at = 0; at < length; at += 7) {
        size_t piece = length - at < 7 ? length - at : 7;
        int head = snprintf(chunk, sizeof chunk, "%zx\r\n", piece);
        memcpy(chunk + head, bytes + at, piece);
        memcpy(chunk + head + piece, "\r\n", 2);
        if (!send_all(to, chunk, (size_t)head + piece + 2))
            return false;
    }
    return send_all(to, "0\r\n\r\n", 5);
}

/* ---- Reading a request. */

static void header_of(const char *head, const char *name, char *out, size_t room)
{
    size_t length = strlen(name);
    out[0] = '\0';
    for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, length) != 0)
            continue;
        const char *value = line + 2 + length;
        snprintf(out, room, "%.*s", (int)strcspn(value, "\r\n"), value);
        return;
    }
}

static bool read_request(int from, struct hub_request *ret_request)
{
    char *head = malloc(HEAD_ROOM);
    size_t length = 0;
    const char *end = NULL;
    while (end == NULL && length + 1 < HEAD_ROOM) {
        ssize_t got = recv(from, head + length, HEAD_ROOM - 1 - length, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
        head[length] = '\0';
        if (head[0] != 'G') { /* of TLS, which is not spoken here */
            static const char NO[] = "HTTP/1.1 400 No\r\n\r\n";
            send_all(from, NO, sizeof NO - 1);
            break;
        }
        end = strstr(head, "\r\n\r\n");
    }
    memset(ret_request, 0, sizeof *ret_request);
    bool whole = end != NULL && sscanf(head, "GET %2047s HTTP/1.", ret_request->target) == 1;
    if (whole) {
        header_of(head, "Range: bytes=", ret_request->range, sizeof ret_request->range);
        header_of(head, "Authorization: ", ret_request->authorization,
                  sizeof ret_request->authorization);
    }
    free(head);
    return whole;
}

/* ---- Answering. */

/* Which bytes of a body of `total` go out. */
struct part {
    uint64_t first, end;
    int status;
};

static struct part part_of(const struct hub_answer *answer, const struct hub_request *request,
                           uint64_t total)
{
    unsigned long long first, last;
    bool ranged = answer->status == 0 &&
                  (answer->manner == HUB_RANGES || answer->manner == HUB_CUT ||
                   answer->manner == HUB_DRIP || answer->manner == HUB_STALL) &&
                  sscanf(request->range, "%llu-%llu", &first, &last) == 2;
    if (!ranged)
        return (struct part){ .end = total, .status = answer->status == 0 ? 200 : answer->status };
    if (first >= total)
        return (struct part){ .status = 416 };
    uint64_t end = last + 1 < total ? last + 1 : total;
    return (struct part){ .first = first, .end = end, .status = 206 };
}

/* The bytes of a part: some of the body, then zeros. */
static uint64_t send_part(int to, const struct hub_answer *answer, size_t length, uint64_t first,
                          uint64_t end)
{
    static const char ZEROS[16384];
    uint64_t at = first;
    while (at < end) {
        const char *bytes = at < length ? answer->body + at : ZEROS;
        uint64_t piece = at < length ? length - at : sizeof ZEROS;
        piece = piece < end - at ? piece : end - at;
        if (!send_in(answer->manner, to, bytes, (size_t)piece))
            break;
        at += piece;
    }
    return at - first;
}

/* True when the connection is to be left open, and silent. */
static bool answer_request(int to, const struct hub_answer *answer, struct hub_request *request)
{
    char head[4096];
    size_t length = answer->body == NULL ? 0
                    : answer->length > 0 ? answer->length
                                         : strlen(answer->body);
    if (answer->manner == HUB_RAW) {
        send_all(to, answer->body, length);
        return false;
    }
    uint64_t total = length + answer->zeros;
    struct part part = part_of(answer, request, total);
    int used = snprintf(head, sizeof head, "HTTP/1.1 %d Whatever\r\nConnection: close\r\n%s",
                        part.status, answer->lines == NULL ? "" : answer->lines);
    if (part.status == 206)
        used += snprintf(head + used, sizeof head - (size_t)used,
                         "Content-Range: bytes %llu-%llu/%llu\r\n", (unsigned long long)part.first,
                         (unsigned long long)part.end - 1, (unsigned long long)total);
    if (answer->manner == HUB_CHUNKED)
        used +=
            snprintf(head + used, sizeof head - (size_t)used, "Transfer-Encoding: chunked\r\n\r\n");
    else
        used += snprintf(head + used, sizeof head - (size_t)used, "Content-Length: %llu\r\n\r\n",
                         (unsigned long long)(part.end - part.first));
    if (!send_in(answer->manner, to, head, (size_t)used))
        return false;
    if (answer->manner == HUB_CHUNKED) {
        send_chunks(to, answer->body, length);
        return false;
    }
    bool half = answer->manner == HUB_CUT || answer->manner == HUB_STALL;
    uint64_t end = half ? part.first + (part.end - part.first) / 2 : part.end;
    request->sent = send_part(to, answer, length, part.first, end);
    return answer->manner == HUB_STALL;
}

static struct hub_answer answer_for(struct hub_server *server, const char *target)
{
    for (size_t i = 0; i < server->answers_count; i++) {
        struct hub_answer *answer = &server->answers[i];
        if (answer->target != NULL && strcmp(answer->target, target) != 0)
            continue;
        if (answer->times == 0)
            return *answer;
        if (answer->times != UINT32_MAX) {
            struct hub_answer taken = *answer;
            answer->times = answer->times == 1 ? UINT32_MAX : answer->times - 1;
            return taken;
        }
    }
    return (struct hub_answer){ .status = 404, .body = "" };
}

/* The request is listed before it is answered: whoever has the answer finds it there. */
static void serve(struct hub_server *server, int connection)
{
    struct hub_request request;
    int one = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (!read_request(connection, &request)) {
        close(connection);
        return;
    }
    pthread_mutex_lock(&server->lock);
    struct hub_answer answer = answer_for(server, request.target);
    size_t index = server->requests_count < REQUESTS_MAX ? server->requests_count++ : 0;
    server->requests[index] = request;
    pthread_mutex_unlock(&server->lock);
    bool stays = answer_request(connection, &answer, &request);
    pthread_mutex_lock(&server->lock);
    server->requests[index].sent = request.sent;
    pthread_mutex_unlock(&server->lock);
    if (stays && server->stalled_count < STALLED_MAX)
        server->stalled[server->stalled_count++] = connection;
    else
        close(connection);
}

static void *run(void *context)
{
    struct hub_server *server = context;
    for (;;) {
        struct pollfd waiting[2] = { { .fd = server->listener, .events = POLLIN },
                                     { .fd = server->stop[0], .events = POLLIN } };
        if (poll(waiting, 2, -1) < 0)
            continue;
        if (waiting[1].revents != 0)
            return NULL;
        int connection = accept(server->listener, NULL, NULL);
        if (connection >= 0)
            serve(server, connection);
    }
}

/* ---- The server. */

struct hub_server *hub_server_start(const struct hub_answer *answers, size_t count)
{
    struct hub_server *server = calloc(1, sizeof *server);
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    assert_non_null(server);
    server->requests = calloc(REQUESTS_MAX, sizeof *server->requests);
    assert_non_null(server->requests);
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(server->listener >= 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server->listener, 64), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &length), 0);
    server->port = address.sin_port;
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u",
             (unsigned)ntohs(address.sin_port));
    assert_int_equal(pipe(server->stop), 0);
    assert_int_equal(pthread_mutex_init(&server->lock, NULL), 0);
    hub_server_answer(server, answers, count);
    assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
    return server;
}

void hub_server_stop(struct hub_server *server)
{
    if (server == NULL)
        return;
    close(server->stop[1]);
    pthread_join(server->thread, NULL);
    close(server->stop[0]);
    close(server->listener);
    for (size_t i = 0; i < server->stalled_count; i++)
        close(server->stalled[i]);
    pthread_mutex_destroy(&server->lock);
    free(server->requests);
    free(server);
}

const char *hub_server_url(const struct hub_server *server)
{
    return server->url;
}

void hub_server_answer(struct hub_server *server, const struct hub_answer *answers, size_t count)
{
    assert_true(count <= ANSWERS_MAX);
    pthread_mutex_lock(&server->lock);
    if (count > 0)
        memcpy(server->answers, answers, count * sizeof *answers);
    server->answers_count = count;
    pthread_mutex_unlock(&server->lock);
}

size_t hub_server_count(struct hub_server *server)
{
    pthread_mutex_lock(&server->lock);
    size_t count = server->requests_count;
    pthread_mutex_unlock(&server->lock);
    return count;
}

struct hub_request hub_server_request(struct hub_server *server, size_t index)
{
    assert_true(index < hub_server_count(server));
    pthread_mutex_lock(&server->lock);
    struct hub_request request = server->requests[index];
    pthread_mutex_unlock(&server->lock);
    return request;
}

void hub_server_forget(struct hub_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->requests_count = 0;
    pthread_mutex_unlock(&server->lock);
}

/* A connection that asks nothing is closed in its turn, and connections have one turn after another. */
void hub_server_settle(const struct hub_server *server)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = server->port,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    char byte;
    int probe = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(probe >= 0);
    assert_int_equal(connect(probe, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(shutdown(probe, SHUT_WR), 0);
    assert_true(recv(probe, &byte, 1, 0) <= 0);
    close(probe);
}

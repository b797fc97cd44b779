/* SPDX-License-Identifier: Apache-2.0
 *
 * http - runs many POST requests at once through libcurl.
 *
 * libcurl is opened at run time, so the build does not need it and a portable binary works wherever
 * libcurl is installed. Its interface has not changed since libcurl.so.4 appeared (2006). http.c
 * has the constants that are used; if curl.h exists at build time, they are compared with it.
 * libcurl's own rules apply to proxies and TLS (https_proxy, no_proxy ...). CURL_CA_BUNDLE and
 * SSL_CERT_FILE name other certificate authorities, as they do for the curl program. Redirections
 * are not followed, because the key would go to the new address.
 */
#ifndef AY_LLM_HTTP_H
#define AY_LLM_HTTP_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ay_http;

/* How a request ended. */
struct ay_http_end {
	int status;            /* 0: there was no answer */
	bool whole;            /* the answer is complete */
	bool untrusted;        /* the server's certificate is not trusted; then `unreached_server` is set too */
	bool unreached_server; /* no connection: no server, no such name, or an untrusted certificate */
	const char *error;     /* if !whole: libcurl's message */
};

struct ay_http_request {
	const char *body;
	size_t len;
	const char *header_line; /* an additional header; NULL = none */
	void *user;
	/* Called for each header line, with its line end. The first line of an answer is its
	 * status. */
	void (*header)(void *user, const char *line, size_t n);
	/* Called for each piece of the body. Returns false to end the request. */
	bool (*bytes)(void *user, const char *data, size_t n);
	void (*done)(void *user, const struct ay_http_end *end);
	/* The fields below belong to http.c. */
	int64_t heard_ns; /* when the last byte came, or the request began */
	struct ay_http *http;
	void *easy, *headers;
	bool ended; /* bytes() has ended it */
	char error[256];
};

/* Stores libcurl's version, such as "libcurl/8.5.0 OpenSSL/3.0.13 ...", in the arena. Returns -1 if
 * libcurl is not installed. */
int ay_http_version(struct ay_arena *a, const char **version, struct ay_err *err);
/* headers: sent with every request, NULL at the end. Borrows url and headers. Stores libcurl's
 * version. The caller must close *h even if this fails. */
int ay_http_open(struct ay_http **h, const char *url, const char *const *headers, int in_flight, double connect_s,
		 const char **version, struct ay_err *err);
/* Starts a request. *r must stay in place until done() was called or the request is dropped. */
int ay_http_start(struct ay_http *h, struct ay_http_request *r, struct ay_err *err);
void ay_http_drop(struct ay_http_request *r);
/* Advances all requests and calls their callbacks. Waits at most wait_ms, or until fd is readable
 * (or writable, if `writable`). */
int ay_http_turn(struct ay_http *h, int fd, bool writable, int wait_ms, struct ay_err *err);
void ay_http_close(struct ay_http *h);

#endif

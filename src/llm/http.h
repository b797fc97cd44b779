/* SPDX-License-Identifier: Apache-2.0
 *
 * http - many POST requests at once, through libcurl.
 *
 * The library is opened at run time: nothing of it is needed to build this, and a portable binary speaks wherever
 * libcurl is installed. Its interface has been the same since libcurl.so.4 came to be (2006): the numbers of it that
 * are used stand in http.c, and are compared with the header where there is one. Proxies and TLS are by libcurl's own
 * rules (https_proxy, no_proxy ...); CURL_CA_BUNDLE and SSL_CERT_FILE name other authorities, as for the curl program.
 * Nothing follows a redirection: it would carry the key to where it leads.
 */
#ifndef AY_LLM_HTTP_H
#define AY_LLM_HTTP_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ay_http;

/* What became of a request. */
struct ay_http_end {
	int status;        /* 0: there was no answer */
	bool whole;        /* it came to its end */
	bool untrusted;    /* of those: the certificate */
	bool nobody;       /* no connection: nobody there, no such name, a certificate that is not to be trusted */
	const char *error; /* where !whole: libcurl's words */
};

struct ay_http_request {
	const char *body;
	size_t len;
	const char *header_line; /* beside those of every request; NULL = none */
	void *user;
	/* A header line, with its end of line; the first of an answer is its status. */
	void (*header)(void *user, const char *line, size_t n);
	/* Of the body. False: no more of it. */
	bool (*bytes)(void *user, const char *data, size_t n);
	void (*done)(void *user, const struct ay_http_end *end);
	/* the rest is http.c's */
	int64_t heard_ns; /* when something came last, else when it began */
	struct ay_http *http;
	void *easy, *headers;
	bool ended; /* by bytes() */
	char error[256];
};

/* What the library of this machine is called, "libcurl/8.5.0 OpenSSL/3.0.13 ..."; -1: there is none. In the arena. */
int ay_http_version(struct ay_arena *a, const char **version, struct ay_err *err);
/* headers: of every request, NULL at the end; url and they are borrowed. version: libcurl's own words. h is to be
 * closed even where this fails. */
int ay_http_open(struct ay_http **h, const char *url, const char *const *headers, int in_flight, double connect_s,
		 const char **version, struct ay_err *err);
/* The request stays where it is until done() was called or it was dropped. */
int ay_http_start(struct ay_http *h, struct ay_http_request *r, struct ay_err *err);
void ay_http_drop(struct ay_http_request *r);
/* Moves all of them on; done() and the others are called from here. Waits at most wait_ms, or until fd can be read
 * (or written, if writable). */
int ay_http_turn(struct ay_http *h, int fd, bool writable, int wait_ms, struct ay_err *err);
void ay_http_close(struct ay_http *h);

#endif

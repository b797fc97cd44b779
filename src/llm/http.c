/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/http.h"
#include "base/process.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- of curl.h, as far as it is used here ----------------------------------------------------- */

enum { LONG = 0, OBJECT = 10000, FUNCTION = 20000, OFF_T = 30000 };
enum {
	OPT_WRITEDATA = OBJECT + 1,
	OPT_URL = OBJECT + 2,
	OPT_ERRORBUFFER = OBJECT + 10,
	OPT_WRITEFUNCTION = FUNCTION + 11,
	OPT_POSTFIELDS = OBJECT + 15,
	OPT_USERAGENT = OBJECT + 18,
	OPT_HTTPHEADER = OBJECT + 23,
	OPT_HEADERDATA = OBJECT + 29,
	OPT_CAINFO = OBJECT + 65,
	OPT_HEADERFUNCTION = FUNCTION + 79,
	OPT_NOSIGNAL = LONG + 99,
	OPT_PRIVATE = OBJECT + 103,
	OPT_POSTFIELDSIZE_LARGE = OFF_T + 120,
	OPT_CONNECTTIMEOUT_MS = LONG + 156,
	OPT_PROTOCOLS = LONG + 181,
	OPT_TCP_KEEPALIVE = LONG + 213,
	INFO_RESPONSE_CODE = 0x200000 + 2,
	INFO_PRIVATE = 0x100000 + 21,
	MULTI_MAXCONNECTS = LONG + 6,
	GLOBAL_ALL = 3,
	PROTO_HTTP = 1,
	PROTO_HTTPS = 2,
	WAIT_IN = 1,
	WAIT_OUT = 4,
	MSG_DONE = 1,
};
enum {
	E_OK = 0,
	E_URL_MALFORMAT = 3,
	E_COULDNT_RESOLVE_PROXY = 5,
	E_COULDNT_RESOLVE_HOST = 6,
	E_COULDNT_CONNECT = 7,
	E_OPERATION_TIMEDOUT = 28,
	E_SSL_CONNECT_ERROR = 35,
	E_PEER_FAILED_VERIFICATION = 60,
	E_SSL_CACERT_BADFILE = 77,
};

struct http_message {
	int msg;
	void *easy;
	union {
		void *whatever;
		int result;
	} data;
};

struct wait_fd {
	int fd;
	short events, revents;
};

#if __has_include(<curl/curl.h>)
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), "not libcurl's " #theirs)
SAME(OPT_WRITEDATA, CURLOPT_WRITEDATA);
SAME(OPT_URL, CURLOPT_URL);
SAME(OPT_ERRORBUFFER, CURLOPT_ERRORBUFFER);
SAME(OPT_WRITEFUNCTION, CURLOPT_WRITEFUNCTION);
SAME(OPT_POSTFIELDS, CURLOPT_POSTFIELDS);
SAME(OPT_USERAGENT, CURLOPT_USERAGENT);
SAME(OPT_HTTPHEADER, CURLOPT_HTTPHEADER);
SAME(OPT_HEADERDATA, CURLOPT_HEADERDATA);
SAME(OPT_CAINFO, CURLOPT_CAINFO);
SAME(OPT_HEADERFUNCTION, CURLOPT_HEADERFUNCTION);
SAME(OPT_NOSIGNAL, CURLOPT_NOSIGNAL);
SAME(OPT_PRIVATE, CURLOPT_PRIVATE);
SAME(OPT_POSTFIELDSIZE_LARGE, CURLOPT_POSTFIELDSIZE_LARGE);
SAME(OPT_CONNECTTIMEOUT_MS, CURLOPT_CONNECTTIMEOUT_MS);
SAME(OPT_PROTOCOLS, 181); /* deprecated, but older versions lack the new name */
SAME(OPT_TCP_KEEPALIVE, CURLOPT_TCP_KEEPALIVE);
SAME(INFO_RESPONSE_CODE, CURLINFO_RESPONSE_CODE);
SAME(INFO_PRIVATE, CURLINFO_PRIVATE);
SAME(MULTI_MAXCONNECTS, CURLMOPT_MAXCONNECTS);
SAME(GLOBAL_ALL, CURL_GLOBAL_ALL);
SAME(PROTO_HTTP, CURLPROTO_HTTP);
SAME(PROTO_HTTPS, CURLPROTO_HTTPS);
SAME(WAIT_IN, CURL_WAIT_POLLIN);
SAME(WAIT_OUT, CURL_WAIT_POLLOUT);
SAME(MSG_DONE, CURLMSG_DONE);
SAME(E_OK, CURLE_OK);
SAME(E_URL_MALFORMAT, CURLE_URL_MALFORMAT);
SAME(E_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_PROXY);
SAME(E_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_HOST);
SAME(E_COULDNT_CONNECT, CURLE_COULDNT_CONNECT);
SAME(E_OPERATION_TIMEDOUT, CURLE_OPERATION_TIMEDOUT);
SAME(E_SSL_CONNECT_ERROR, CURLE_SSL_CONNECT_ERROR);
SAME(E_PEER_FAILED_VERIFICATION, CURLE_PEER_FAILED_VERIFICATION);
SAME(E_SSL_CACERT_BADFILE, CURLE_SSL_CACERT_BADFILE);
SAME(sizeof(struct http_message), sizeof(CURLMsg));
SAME(offsetof(struct http_message, data), offsetof(CURLMsg, data));
SAME(sizeof(struct wait_fd), sizeof(struct curl_waitfd));
SAME(sizeof(int64_t), sizeof(curl_off_t));
#endif

/* --- the library ------------------------------------------------------------------------------ */

struct curl {
	int (*global_init)(long flags);
	char *(*version)(void);
	void *(*easy_init)(void);
	int (*easy_setopt)(void *easy, int option, ...);
	int (*easy_getinfo)(void *easy, int info, ...);
	void (*easy_cleanup)(void *easy);
	const char *(*easy_strerror)(int code);
	void *(*slist_append)(void *list, const char *text);
	void (*slist_free_all)(void *list);
	void *(*multi_init)(void);
	int (*multi_setopt)(void *multi, int option, ...);
	int (*multi_add_handle)(void *multi, void *easy);
	int (*multi_remove_handle)(void *multi, void *easy);
	int (*multi_perform)(void *multi, int *running);
	int (*multi_wait)(void *multi, struct wait_fd *fds, unsigned n, int ms, int *ready);
	struct http_message *(*multi_info_read)(void *multi, int *left);
	int (*multi_cleanup)(void *multi);
};

static const struct {
	const char *name;
	size_t at;
} symbols[] = {
#define SYMBOL(name)                                       \
	{                                                  \
		"curl_" #name, offsetof(struct curl, name) \
	}
	SYMBOL(global_init),         SYMBOL(version),       SYMBOL(easy_init),     SYMBOL(easy_setopt),
	SYMBOL(easy_getinfo),        SYMBOL(easy_cleanup),  SYMBOL(easy_strerror), SYMBOL(slist_append),
	SYMBOL(slist_free_all),      SYMBOL(multi_init),    SYMBOL(multi_setopt),  SYMBOL(multi_add_handle),
	SYMBOL(multi_remove_handle), SYMBOL(multi_perform), SYMBOL(multi_wait),    SYMBOL(multi_info_read),
	SYMBOL(multi_cleanup),
#undef SYMBOL
};

struct ay_http {
	struct curl curl;
	void *library, *multi;
	const char *url, *const *headers;
	double connect_s;
	const char *authorities; /* NULL: libcurl's default */
};

static int load(struct ay_http *h, struct ay_err *err)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4",
					     "libcurl.so" };

	for (size_t i = 0; i < sizeof names / sizeof *names && !h->library; i++)
		h->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!h->library)
		return ay_fail(
			err, AY_ERR_SYS,
			"libcurl.so.4 is not installed, and without it no model can be asked (Debian: apt-get "
			"install libcurl4)");
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *f = dlsym(h->library, symbols[i].name);

		if (!f)
			return ay_fail(err, AY_ERR_SYS, "the libcurl of this machine has no %s", symbols[i].name);
		memcpy((char *)&h->curl + symbols[i].at, &f, sizeof f);
	}
	if (h->curl.global_init(GLOBAL_ALL))
		return ay_fail(err, AY_ERR_SYS, "libcurl does not start");
	return 0;
}

int ay_http_version(struct ay_arena *a, const char **version, struct ay_err *err)
{
	struct ay_http h = { 0 };

	if (load(&h, err))
		return -1;
	*version = ay_strdup(a, h.curl.version());
	return 0; /* the library stays open, because its initialisation cannot be undone */
}

int ay_http_open(struct ay_http **out, const char *url, const char *const *headers, int in_flight,
		 double connect_s, const char **version, struct ay_err *err)
{
	struct ay_http *h = ay_xrealloc(NULL, sizeof *h);

	*h = (struct ay_http){ .connect_s = connect_s, .url = url, .headers = headers };
	*out = h;
	h->authorities = getenv("CURL_CA_BUNDLE") ? getenv("CURL_CA_BUNDLE") : getenv("SSL_CERT_FILE");
	if (load(h, err))
		return -1;
	h->multi = h->curl.multi_init();
	if (!h->multi)
		return ay_fail(err, AY_ERR_SYS, "libcurl does not start");
	h->curl.multi_setopt(h->multi, MULTI_MAXCONNECTS, (long)in_flight + 8);
	*version = h->curl.version();
	return 0;
}

/* --- one request ------------------------------------------------------------------------------ */

static size_t on_header(char *data, size_t size, size_t n, void *user)
{
	struct ay_http_request *r = user;

	r->heard_ns = ay_now_ns();
	r->header(r->user, data, size * n);
	return size * n;
}

static size_t on_bytes(char *data, size_t size, size_t n, void *user)
{
	struct ay_http_request *r = user;

	r->heard_ns = ay_now_ns();
	r->ended = !r->bytes(r->user, data, size * n);
	return r->ended ? 0 : size * n;
}

int ay_http_start(struct ay_http *h, struct ay_http_request *r, struct ay_err *err)
{
	struct curl *c = &h->curl;
	void *e = c->easy_init();

	if (!e)
		return ay_fail(err, AY_ERR_SYS, "libcurl gives no handle");
	r->http = h;
	r->easy = e;
	r->heard_ns = ay_now_ns();
	r->error[0] = 0;
	r->ended = false;
	r->headers = r->header_line ? c->slist_append(NULL, r->header_line) : NULL;
	for (const char *const *l = h->headers; *l; l++)
		r->headers = c->slist_append(r->headers, *l);
	c->easy_setopt(e, OPT_URL, h->url);
	c->easy_setopt(e, OPT_PROTOCOLS, (long)(PROTO_HTTP | PROTO_HTTPS));
	c->easy_setopt(e, OPT_HTTPHEADER, r->headers);
	c->easy_setopt(e, OPT_USERAGENT, "assay");
	c->easy_setopt(e, OPT_POSTFIELDSIZE_LARGE, (int64_t)r->len);
	c->easy_setopt(e, OPT_POSTFIELDS, r->body);
	c->easy_setopt(e, OPT_HEADERFUNCTION, on_header);
	c->easy_setopt(e, OPT_HEADERDATA, r);
	c->easy_setopt(e, OPT_WRITEFUNCTION, on_bytes);
	c->easy_setopt(e, OPT_WRITEDATA, r);
	c->easy_setopt(e, OPT_ERRORBUFFER, r->error);
	c->easy_setopt(e, OPT_PRIVATE, r);
	c->easy_setopt(e, OPT_NOSIGNAL, 1L);
	c->easy_setopt(e, OPT_TCP_KEEPALIVE, 1L);
	c->easy_setopt(e, OPT_CONNECTTIMEOUT_MS, (long)(h->connect_s * 1000));
	if (h->authorities && *h->authorities)
		c->easy_setopt(e, OPT_CAINFO, h->authorities);
	if (c->multi_add_handle(h->multi, e)) {
		ay_http_drop(r);
		return ay_fail(err, AY_ERR_SYS, "libcurl takes no further request");
	}
	return 0;
}

void ay_http_drop(struct ay_http_request *r)
{
	if (!r->easy)
		return;
	r->http->curl.multi_remove_handle(r->http->multi, r->easy);
	r->http->curl.easy_cleanup(r->easy);
	r->http->curl.slist_free_all(r->headers);
	r->easy = r->headers = NULL;
}

static bool is_nobody(int code)
{
	static const int codes[] = { E_URL_MALFORMAT,      E_COULDNT_RESOLVE_PROXY,   E_COULDNT_RESOLVE_HOST,
				     E_COULDNT_CONNECT,    E_OPERATION_TIMEDOUT,      E_SSL_CONNECT_ERROR,
				     E_SSL_CACERT_BADFILE, E_PEER_FAILED_VERIFICATION };

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (codes[i] == code)
			return true;
	return false;
}

static void finish(struct ay_http *h, void *easy, int code)
{
	struct ay_http_request *r = NULL;
	struct ay_http_end end = { 0 };
	char error[sizeof r->error];
	long status = 0;

	h->curl.easy_getinfo(easy, INFO_PRIVATE, &r);
	h->curl.easy_getinfo(easy, INFO_RESPONSE_CODE, &status);
	snprintf(error, sizeof error, "%s", r->error[0] ? r->error : h->curl.easy_strerror(code));
	end.status = (int)status;
	end.whole = code == E_OK || r->ended;
	end.untrusted = code == E_PEER_FAILED_VERIFICATION || code == E_SSL_CACERT_BADFILE;
	end.unreached_server = !status && is_nobody(code);
	end.error = end.whole ? NULL : error;
	ay_http_drop(r);
	r->done(r->user, &end);
}

int ay_http_turn(struct ay_http *h, int fd, bool writable, int wait_ms, struct ay_err *err)
{
	struct wait_fd extra = { fd, (short)(WAIT_IN | (writable ? WAIT_OUT : 0)), 0 };
	struct http_message *m;
	int running, left;

	if (h->curl.multi_perform(h->multi, &running))
		return ay_fail(err, AY_ERR_SYS, "libcurl has failed");
	while ((m = h->curl.multi_info_read(h->multi, &left)))
		if (m->msg == MSG_DONE) {
			finish(h, m->easy, m->data.result);
			wait_ms = 0; /* a request has ended, so return at once */
		}
	if (wait_ms && h->curl.multi_wait(h->multi, &extra, 1, wait_ms, &left))
		return ay_fail(err, AY_ERR_SYS, "libcurl cannot wait");
	return 0;
}

void ay_http_close(struct ay_http *h)
{
	if (!h)
		return;
	if (h->multi)
		h->curl.multi_cleanup(h->multi);
	ay_xfree(h);
}

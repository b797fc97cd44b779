# SPDX-License-Identifier: Apache-2.0
"""A fake of a language model's server, for the tests: speaks OpenAI's chat completions and Anthropic's messages,
streaming or not, and answers from a script. Plain Python, one process, any number of connections.

    python3 tests/llm/fake_server.py [--port 0] [--script FILE] [--log FILE] [--tls PEM] [--stay]

It prints "port N", serves /v1/chat/completions and /v1/messages there (--tls: with this key and certificate), also as
a proxy for another host, and ends with the process that started it (--stay: not). The script is JSON,
or Python that sets SCRIPT to the same and may define answer(op, attempt, request).

    {"key": "sk-x", "models": ["m"],       what is taken: another key is 401, another model 404; left out: anything
     "lang": "c", "kernels": "kernels",    where correct kernels lie: kernels/c, kernels/python, kernels/triton
     "sources": {"aten::add": "a/file.c"}, ... where they are not found by name
     "missing": "refusing",                the answer where there is no such kernel
     "op": "REGEX",                        finds the operator in the first message of the user (its first group)
     "tokens": [1000, 200],                read and written, of every answer; left out: a quarter of the characters
     "thinking": "Let me see.",            thinking that goes before the text
     "style": "fenced",                    or "bare", "tilde", "several"
     "chunk": 400, "delay_s": 0,           characters in an event; seconds before an answer begins
     "gather": 500,                        nothing is answered before so many requests have been there at once
     "faults": {"every": 10, "kinds": ["429:0", "500", "cut", "malformed"]},   of the first try, by the question's id
     "ops": {"aten::add": ["wrong", "correct"], "aten::mul": [{"answer": "correct", "faults": ["500", "cut"]}]},
     "default": ["correct"]}

An entry of "ops" is the list of answers by attempt; the last one stays. An attempt is known by "/rN" in the question's
id (the header x-client-request-id), else by how many whole answers the operator has had. Answers:

    correct        the sample kernel               truncated   half of it, ended by the limit of tokens
    wrong          kernels/wrong, else does nothing    refusing    ended by refusal    filtered  by a content filter
    uncompilable   no program                      empty       no text at all      no code   words only
    cheating       kernels/hostile with due: CHEAT, else one made here             tool      ended by a tool call
    improving      wrong, until the prompt holds that kernel (feedback does): then correct
    file:PATH      what the file holds             text:WORDS  just that           echo-key  the key that was sent

or an object: {"answer": one of these, "faults": [one for each try before it], "tokens", "thinking", "style", "chunk",
"delay_s", "slow_s": between events, "whole": true for one piece of JSON}. Faults:

    NNN, NNN:S     that status, with Retry-After: S      429ms:MS, 429date:S, 429reset:S   other ways to say it
    quota          429 for good                          temperature   400 that names the parameter
    options        400 as long as stream_options is sent
    echo           401 whose message holds the key       redirect      307
    cut            closed in the middle of the answer    reset         closed before it
    malformed      an event that is no JSON              html          200 and a web page
    error          an error inside of the stream         hang          not a byte, until the client goes

The log has a line for each request: {"event": "seen", "n", "t", "id", "op", "attempt", "try", "model", "key"}, and one
when all of an answer was handed over: {"event": "sent", "n", "t", "id", "status", "answer", "fault", "tokens"}; "gone"
if the client went first.
"""
import argparse
import asyncio
import ctypes
import email.utils
import json
import os
import re
import signal
import ssl
import time
import zlib

OP = r"\b([a-z][a-z0-9_]*::[A-Za-z_][A-Za-z0-9_]*)"
MARK = "fake: wrong"
# What is due CHEAT at once, whatever the operator: an answer in the executor's name.
FORGERY = "__attribute__((constructor)) static void forge(void)\n{\n\tsend(3, \"done\", 4, MSG_NOSIGNAL);\n}\n"
PAGE = "<html><body>Service under maintenance</body></html>"
EXTENSION = {"c": "c", "cuda": "cu", "python": "py", "triton": "py"}
ERRORS = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
          413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}


class Cut(Exception):
    """The connection is to be closed here."""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


class Kernels:
    """The sample kernels, by the functions they define."""

    def __init__(self, script):
        self.root = script.get("kernels", "kernels")
        self.lang = script.get("lang", "c")
        self.ext = EXTENSION[self.lang]
        self.sources = script.get("sources", {})
        self.defines = {}

    def names(self, path):
        if path not in self.defines:
            pattern = r"^(?:async )?def (\w+)\(" if self.ext == "py" else r"^int (\w+)\("
            self.defines[path] = re.findall(pattern, read(path), re.M)
        return self.defines[path]

    def stem(self, op):
        space, name = op.split("::", 1)
        return name if self.ext == "py" else space + "_" + name

    def wanted(self, op, prompt):
        """Functions that the prompt speaks of and that can be the operator's."""
        stem = self.stem(op)
        return {w for w in re.findall(r"\b\w+\b", prompt) if w == stem or w.startswith(stem + "_")}

    def folder(self, name):
        path = os.path.join(self.root, name)
        return [os.path.join(path, f) for f in sorted(os.listdir(path)) if f.endswith("." + self.ext)]

    def correct(self, op, prompt):
        if op in self.sources:
            return read(self.sources[op])
        if "::" not in op:
            return None
        wanted = self.wanted(op, prompt) | {self.stem(op)}
        best, most = None, 0
        for path in self.folder(self.lang):
            text = read(path)
            if "due: PASS" not in text.split("\n", 1)[0] or path.endswith("__fast.c"):
                continue
            hits = len(wanted.intersection(self.names(path)))
            if hits > most:
                best, most = text, hits
        return best

    def stubs(self, op, prompt, body):
        """The operator's functions with another body."""
        if self.ext == "py":
            names = sorted(self.wanted(op, prompt)) or [self.stem(op)]
            return "\n\n".join("def %s(*args, **kwargs):\n    %s" % (n, body(n)) for n in names) + "\n"
        text = self.correct(op, prompt) or prompt
        found = re.findall(r"^int (%s(?:_\w+)?)\(([^;{]*?)\)\s*[;{]" % re.escape(self.stem(op)), text, re.M)
        return "".join("int %s(%s)\n{\n\t%s\n}\n" % (n, args, body(n)) for n, args in dict(found).items())

    def sample(self, kind, op, prompt, due):
        wanted = self.wanted(op, prompt) | {self.stem(op)}
        for path in self.folder(kind):
            name = os.path.basename(path).rsplit(".", 1)[0]
            first = read(path).split("\n", 1)[0]
            if "__" in name and any(name.startswith(w + "__") for w in wanted) and due in first:
                return read(path)
        return None

    def marked(self, text):
        return ("# %s\n" if self.ext == "py" else "/* %s */\n") % MARK + text

    def wrong(self, op, prompt):
        found = self.sample("wrong", op, prompt, "due: MISMATCH -")
        if not found and self.ext == "py":
            found = self.stubs(op, prompt, lambda n: "return args[0] * 0 + 3")
        if not found:
            found = "#include <assay/kernel.h>\n" + self.stubs(op, prompt, lambda n: "return 0;")
        return self.marked(found)

    def cheating(self, op, prompt):
        found = self.sample("hostile", op, prompt, "due: CHEAT")
        if found:
            return found
        if self.ext == "py":
            call = "return torch.ops.%s(*args, **kwargs)" % op.replace("::", ".")
            return "import torch\n\n\n" + self.stubs(op, prompt, lambda n: call)
        stubs = self.stubs(op, prompt, lambda n: "return 0;")
        return "#include <assay/kernel.h>\n#include <sys/socket.h>\n" + FORGERY + stubs


class Answer:
    """One answer: its text, and how it is to be sent."""

    def __init__(self, script, entry):
        entry = {"answer": entry} if isinstance(entry, str) else dict(entry)
        self.kind = entry["answer"]
        self.faults = entry.get("faults", [])
        self.end, self.refusal, self.text = "stop", "", ""
        for name, default in (("tokens", None), ("thinking", ""), ("style", "fenced"), ("chunk", 400), ("delay_s", 0),
                              ("slow_s", 0), ("whole", False)):
            setattr(self, name, entry.get(name, script.get(name, default)))

    def fence(self, kernels, source):
        if source is None:
            return None
        label = kernels.lang if kernels.ext != "py" else "python"
        bar = "~~~" if self.style == "tilde" else "```"
        block = "%s%s\n%s%s\n" % (bar, label, source if source.endswith("\n") else source + "\n", bar)
        several = "First an idea.\n\n```text\na loop\n```\n\nNow the kernel:\n\n" + block
        plain = "Here is the kernel.\n\n%s\nIt follows the definition." % block
        return {"bare": source, "several": several}.get(self.style, plain)

    def make(self, kernels, op, prompt, key):
        kind = self.kind
        if kind == "improving":
            kind = "correct" if MARK in prompt else "wrong"
        if kind.startswith("file:"):
            return self.fence(kernels, read(kind[5:]))
        if kind.startswith("text:"):
            return kind[5:]
        made = {"correct": kernels.correct, "truncated": kernels.correct, "wrong": kernels.wrong,
                "cheating": kernels.cheating}.get(kind)
        source = made(op, prompt) if made else None
        if made and source is None:
            return None
        if kind == "truncated":
            self.end = "length"
            return "Here is the kernel.\n\n```%s\n%s" % (kernels.lang, source[:len(source) // 2])
        if made:
            return self.fence(kernels, source)
        if kind == "uncompilable":
            return self.fence(kernels, "this is ( no program\n")
        self.end = {"refusing": "refusal", "filtered": "filter", "tool": "tool"}.get(kind, "stop")
        if kind == "refusing":
            self.refusal = "I cannot help with that."
            return ""
        return {"filtered": "I am", "empty": "", "tool": "", "echo-key": "Your key is %s, is it not?" % key,
                "no code": "A loop over all elements would do it."}[kind]


class Wire:
    """What an answer looks like in the words of one protocol. parts: [(kind, text)], kind text or thinking."""

    def __init__(self, request, tokens):
        self.model, self.tokens = request.get("model", ""), tokens


class OpenAI(Wire):
    REASON = {"stop": "stop", "length": "length", "filter": "content_filter", "refusal": "stop", "tool": "tool_calls"}

    def chunk(self, choices, **more):
        return json.dumps(dict({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": self.model,
                                "choices": choices}, **more))

    def usage(self):
        return {"prompt_tokens": self.tokens[0], "completion_tokens": self.tokens[1], "total_tokens": sum(self.tokens)}

    def events(self, parts, answer):
        def delta(reason=None, **what):
            return self.chunk([{"index": 0, "delta": what, "finish_reason": reason}], usage=None)

        yield delta(role="assistant", content="")
        for kind, text in parts:
            yield delta(**{{"text": "content", "thinking": "reasoning_content"}[kind]: text})
        if answer.refusal:
            yield delta(refusal=answer.refusal)
        yield delta(self.REASON[answer.end])
        yield self.chunk([], usage=self.usage())
        yield "[DONE]"

    def event(self, data):
        return "data: %s\n\n" % data

    def whole(self, parts, answer):
        message = {"role": "assistant", "content": "".join(t for k, t in parts if k == "text"),
                   "refusal": answer.refusal or None}
        thinking = "".join(t for k, t in parts if k == "thinking")
        if thinking:
            message["reasoning_content"] = thinking
        return {"id": "chatcmpl-1", "model": self.model, "usage": self.usage(), "choices": [
            {"index": 0, "message": message, "finish_reason": self.REASON[answer.end]}]}

    def error(self, kind, text, code, param=None):
        return {"error": {"message": text, "type": kind, "code": code, "param": param}}


class Anthropic(Wire):
    REASON = {"stop": "end_turn", "length": "max_tokens", "filter": "refusal", "refusal": "refusal",
              "tool": "tool_use"}

    def head(self, **more):
        return dict({"id": "msg_1", "type": "message", "role": "assistant", "model": self.model, "content": [],
                     "stop_reason": None, "usage": {"input_tokens": self.tokens[0], "output_tokens": 1}}, **more)

    def events(self, parts, answer):
        yield json.dumps({"type": "message_start", "message": self.head()})
        yield json.dumps({"type": "ping"})
        index, last = -1, None
        for kind, text in parts:
            if kind != last:
                if last:
                    yield json.dumps({"type": "content_block_stop", "index": index})
                index, last = index + 1, kind
                yield json.dumps({"type": "content_block_start", "index": index,
                                  "content_block": {"type": kind, kind: ""}})
            yield json.dumps({"type": "content_block_delta", "index": index,
                              "delta": {"type": kind + "_delta", kind: text}})
        if last:
            yield json.dumps({"type": "content_block_stop", "index": index})
        yield json.dumps({"type": "message_delta", "delta": {"stop_reason": self.REASON[answer.end]},
                          "usage": {"output_tokens": self.tokens[1]}})
        yield json.dumps({"type": "message_stop"})

    def event(self, data):
        try:
            name = json.loads(data)["type"]
        except ValueError:
            name = "content_block_delta"
        return "event: %s\ndata: %s\n\n" % (name, data)

    def whole(self, parts, answer):
        usage = {"input_tokens": self.tokens[0], "output_tokens": self.tokens[1]}
        content = [{"type": k, k: t} for k, t in parts]
        return self.head(content=content, stop_reason=self.REASON[answer.end], usage=usage)

    def error(self, kind, text, code, param=None):
        return {"type": "error", "error": {"type": kind, "message": text}}


class Server:
    def __init__(self, script, log):
        self.script, self.log = script, log
        self.kernels = Kernels(script)
        self.n, self.tries, self.answered = 0, {}, {}
        self.open, self.gathered = 0, asyncio.Event()
        if not script.get("gather"):
            self.gathered.set()

    def note(self, **line):
        if self.log:
            self.log.write(json.dumps(dict(line, t=time.time())) + "\n")
            self.log.flush()

    # --- what is answered ---

    def attempt(self, ident, op):
        found = re.search(r"/r(\d+)(?:/|$)", ident)
        return int(found.group(1)) if found else self.answered.get(op, 0) + 1

    def entry(self, op, attempt, request):
        own = self.script.get("answer")
        made = own(op, attempt, request) if own else None
        if made is not None:
            return Answer(self.script, made)
        answers = self.script.get("ops", {}).get(op) or self.script.get("default", ["correct"])
        return Answer(self.script, answers[min(attempt, len(answers)) - 1])

    def fault(self, ident, answer, tried):
        if tried <= len(answer.faults):
            return answer.faults[tried - 1]
        every = self.script.get("faults", {}).get("every", 0)
        kinds = self.script.get("faults", {}).get("kinds", ["500"])
        mark = zlib.crc32(ident.encode())
        return kinds[mark // every % len(kinds)] if every and tried == 1 and mark % every == 0 else None

    # --- HTTP ---

    async def serve(self, reader, writer):
        try:
            while await self.one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def one(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        path = head[0].split(" ")[1]
        self.n += 1
        n = self.n
        try:
            return await self.reply(writer, n, path, headers, body)
        except ConnectionError:
            self.note(event="gone", n=n, id=headers.get("x-client-request-id", ""))
            raise

    async def say(self, writer, status, body, headers=(), kind="application/json"):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        lines = ["HTTP/1.1 %d X" % status, "content-type: " + kind, "content-length: %d" % len(data),
                 "date: " + email.utils.formatdate(usegmt=True), *headers]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + data)
        await writer.drain()
        return True

    async def reply(self, writer, n, path, headers, body):
        key = headers.get("x-api-key") or re.sub("^Bearer ", "", headers.get("authorization", ""))
        ident = headers.get("x-client-request-id", "")
        anthropic = path.endswith("/messages")
        try:
            request = json.loads(body)
        except ValueError:
            return await self.say(writer, 400, {"error": {"message": "no JSON"}})
        messages = request.get("messages", [])
        users = [m["content"] for m in messages if m.get("role") == "user"]
        prompt = "\n".join([str(request.get("system", ""))] + [str(m.get("content")) for m in messages])
        found = re.search(self.script.get("op", OP), users[0] if users else "")
        op = found.group(1) if found else ""
        attempt = self.attempt(ident, op)
        right = "key" not in self.script or self.script["key"] == key
        tried = self.tries[ident] = self.tries.get(ident, 0) + 1
        self.note(event="seen", n=n, id=ident, op=op, attempt=attempt, model=request.get("model"), path=path,
                  key="right" if right else "wrong", stream=bool(request.get("stream")), **{"try": tried})
        answer = self.entry(op, attempt, request)
        fault = self.fault(ident, answer, tried)
        if fault == "options" and "stream_options" not in request:
            fault = None
        text = answer.make(self.kernels, op, prompt, key)
        if text is None:
            answer = Answer(self.script, self.script.get("missing", "refusing"))
            text = answer.make(self.kernels, op, prompt, key)
        tokens = answer.tokens or [len(prompt) // 4, (len(text) + len(answer.thinking)) // 4]
        wire = (Anthropic if anthropic else OpenAI)(request, tokens)
        if not right:
            fault = "401"
        elif "models" in self.script and request.get("model") not in self.script["models"]:
            fault = "model"
        elif not path.endswith(("/chat/completions", "/messages")):
            fault = "404"
        self.open += 1
        if self.open >= self.script.get("gather", 0):
            self.gathered.set()
        await self.gathered.wait()
        await asyncio.sleep(answer.delay_s)
        self.open -= 1
        open_still = True
        try:
            status = await self.send(writer, wire, answer, text, fault, key, request)
        except Cut:
            status, open_still = 0, False
        self.note(event="sent", n=n, id=ident, status=status, answer=answer.kind, fault=fault, tokens=tokens)
        if not fault:
            self.answered[op] = self.answered.get(op, 0) + 1
        return open_still

    async def send(self, writer, wire, answer, text, fault, key, request):
        """The status that was sent."""
        step = max(1, answer.chunk)
        parts = [("thinking", answer.thinking[i:i + step]) for i in range(0, len(answer.thinking), step)]
        parts += [("text", text[i:i + step]) for i in range(0, len(text), step)]
        if fault == "hang":
            await asyncio.sleep(3600)
        if fault == "reset":
            raise Cut
        if fault == "html":
            await self.say(writer, 200, PAGE, kind="text/html")
            return 200
        if fault and fault not in ("cut", "malformed", "error"):
            return await self.refuse(writer, wire, fault, key)
        if not request.get("stream") or answer.whole:
            await self.say(writer, 200, wire.whole(parts, answer))
        else:
            await self.stream(writer, wire, list(wire.events(parts, answer)), answer, fault)
        return 200

    async def stream(self, writer, wire, events, answer, fault):
        def put(text):
            data = text.encode()
            writer.write(b"%x\r\n%s\r\n" % (len(data), data))

        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
                     b"transfer-encoding: chunked\r\n\r\n")
        for i, data in enumerate(events):
            if fault and i >= len(events) // 2:
                break
            put(wire.event(data))
            if answer.slow_s:
                await writer.drain()
                await asyncio.sleep(answer.slow_s)
        if fault == "malformed":
            put(wire.event('{"type": "content_block_delta", "choices": [{"del'))
        if fault == "error":
            put(wire.event(json.dumps(wire.error("overloaded_error", "Overloaded", None))))
        await writer.drain()
        if fault == "cut":
            raise Cut
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def refuse(self, writer, wire, fault, key):
        name, _, value = fault.partition(":")
        later = time.time() + float(value or 0)
        more = ["retry-after: " + value] if value else []
        if name == "429ms":
            more = ["retry-after-ms: " + value]
        elif name == "429date":
            more = ["retry-after: " + email.utils.formatdate(later, usegmt=True)]
        elif name == "429reset" and isinstance(wire, Anthropic):
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(later))
            more = ["anthropic-ratelimit-requests-remaining: 0", "anthropic-ratelimit-requests-reset: " + stamp]
        elif name == "429reset":
            more = ["x-ratelimit-remaining-requests: 0", "x-ratelimit-reset-requests: %dms" % (float(value) * 1000)]
        special = {"quota": (429, "insufficient_quota", "You exceeded your current quota.", None),
                   "temperature": (400, "unsupported_value", "Unsupported value: 'temperature' does not support 0.8.",
                                   "temperature"),
                   "options": (400, None, "Unrecognized request argument supplied: stream_options", None),
                   "echo": (401, "invalid_api_key", "Incorrect API key provided: %s." % key, None),
                   "model": (404, "model_not_found", "The model does not exist.", "model"),
                   "redirect": (307, "moved", "moved", None)}
        if name in special:
            status, code, text, param = special[name]
        else:
            status, code, text, param = int(re.match(r"\d+", name).group()), None, "scripted " + fault, None
        if name == "redirect":
            more = ["location: http://127.0.0.1:9/"]
        await self.say(writer, status, wire.error(ERRORS.get(status, "api_error"), text, code, param), more)
        return status


def load(path):
    if not path:
        return {}
    if not path.endswith(".py"):
        return json.loads(read(path))
    space = {"__file__": path}
    exec(compile(read(path), path, "exec"), space)
    return dict(space.get("SCRIPT", {}), **({"answer": space["answer"]} if "answer" in space else {}))


async def run(args):
    with open(args.log or os.devnull, "a", encoding="utf-8") as log:
        server = Server(load(args.script), log if args.log else None)
        tls = None
        if args.tls:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(args.tls)
        listener = await asyncio.start_server(server.serve, "127.0.0.1", args.port, backlog=4096, limit=64 << 20,
                                              ssl=tls)
        print("port", listener.sockets[0].getsockname()[1], flush=True)
        async with listener:
            await listener.serve_forever()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script")
    parser.add_argument("--log")
    parser.add_argument("--tls")
    parser.add_argument("--stay", action="store_true")
    args = parser.parse_args()
    if not args.stay:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    asyncio.run(run(args))


if __name__ == "__main__":
    main()

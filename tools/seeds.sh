#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes seed inputs of a fuzz target into a folder, from the corpus in tests/data.
# seeds.sh TARGET DIR
case $1 in
schema) awk -v d="$2" '!/^#/ && NF { f = d "/s" NR; print > f; close(f) }' tests/data/schemas.txt ;;
caseline) awk -v d="$2" '!/^#/ && NF { f = d "/l" NR; printf "%s", $0 > f; close(f) }' tests/data/lines.txt ;;
store) printf '0{"type":"case","line":"x","verdict":"PASS"}\n' > "$2/r1" ;;
job) printf '{"id":1,"op":"aten::relu","lang":"c","source":"int x;","cases":["a"],"timeout":2}' > "$2/j1" ;;
answer)
	printf '\0\7data: {"choices":[{"index":0,"delta":{"content":"int x;","reasoning_content":"hm"},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\ndata: [DONE]\n\n' > "$2/o1"
	printf '\1\3event: message_start\r\ndata: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":3}}}\r\n\r\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"int x;"}}\r\n\r\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}\r\n\r\ndata: {"type":"message_stop"}\r\n\r\n' > "$2/a1"
	printf '\2\5{"choices":[{"message":{"content":[{"type":"text","text":"x"}]},"finish_reason":"length"}]}' > "$2/w1"
	printf '\4\1retry-after: Wed, 21 Oct 2026 07:28:00 GMT\r\nx-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: 6m0s\r\n' > "$2/h1"
	;;
reply) printf '0I think.\n```c\n#include "a.h"\nint aten_relu(int x)\n{\n\treturn f(x);\n}\n```\n~~~c a.h\nint f(int x) { return x; }\n~~~\n' > "$2/c1"
	printf '1<think>\n</think>\n```python\nimport torch\n\ndef relu(self):\n    return self\n```\n' > "$2/p1" ;;
grid) printf '((T([n, d], dt), 1e-6), {})\0dt=f32|f16 (n,d)=(1,1)|(7,129) ; dt=bf16 (n,d)=(64,1000)' > "$2/g1" ;;
esac
exit 0

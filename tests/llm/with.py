# SPDX-License-Identifier: Apache-2.0
"""Runs a command beside the fake service, with an environment that leads there:

    python3 tests/llm/with.py SCRIPT [--log FILE] [--key KEY] -- command...

SCRIPT is a file, or JSON itself. The exit status is the command's. Also used by the tests that do more than that.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEY = "sk-fake-0123456789"


class FakeServer:
    """The service, as long as the block lasts."""

    def __init__(self, script, log=None, key=KEY):
        self.script, self.log, self.key = script, log, key

    def __enter__(self):
        path = self.script
        if not isinstance(path, str) or path.lstrip().startswith("{"):
            text = path if isinstance(path, str) else json.dumps(path)
            with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as f:
                f.write(text)
            path = self.made = f.name
        args = [sys.executable, os.path.join(HERE, "fake_server.py"), "--script", path]
        self.process = subprocess.Popen(args + (["--log", self.log] if self.log else []), stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().split()[1])
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        if hasattr(self, "made"):
            os.unlink(self.made)

    def environment(self):
        url = "http://127.0.0.1:%d" % self.port
        return dict(os.environ, OPENAI_API_KEY=self.key, OPENAI_BASE_URL=url + "/v1", ANTHROPIC_API_KEY=self.key,
                    ANTHROPIC_BASE_URL=url, NO_PROXY="127.0.0.1", no_proxy="127.0.0.1")


def main(args):
    at = args.index("--")
    options = dict(zip(args[1:at:2], args[2:at:2]))
    with FakeServer(args[0], options.get("--log"), options.get("--key", KEY)) as s:
        return subprocess.run(args[at + 1:], env=s.environment(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

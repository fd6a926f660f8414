#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is tested: that the viewers of others open what `tessera trace` writes: the pages of ui.perfetto.dev and
Catapult's viewer (chrome://tracing), in a browser without a window, served on loopback. Each has to find every slice on
its track with its length, every arrow and every value of a counter, and to complain of nothing. Expected values: counts
and sums over the events of the file. Space: the Fashion-MNIST model on device cycle. Not tested here: what is in the
trace (trace_test.cc), how the viewers draw it.

  trace_viewers.py TESSERA CHROMIUM BUILD    BUILD: the build folder, where scripts/pypi_tool.sh keeps the viewers

Exit status: 0, 1, or 77 when there is no Chromium.
"""
import collections
import fcntl
import functools
import http.server
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE = 120  # seconds for one answer of the browser

PERFETTO = """(async () => {
  while (!self.app || !app.trace) await new Promise((ready) => setTimeout(ready, 100));
  const rows = async (query) => {
    const result = await app.trace.engine.query(query), columns = result.columns(), found = [];
    for (const row = result.iter({}); row.valid(); row.next()) found.push(columns.map((name) => String(row.get(name))));
    return found;
  };
  return JSON.stringify({
    slices: await rows(`select thread.name, count(*), sum(dur) / 1000 from slice join thread_track
                        on slice.track_id = thread_track.id join thread using (utid) group by thread.name`),
    counters: await rows('select count(*), cast(round(sum(value)) as int) from counter'),
    flows: await rows('select count(*) from flow'),
    complaints: await rows(`select name, value from stats where severity in ('error', 'data_loss') and value > 0`)});
})()"""

CATAPULT = """(async () => {
  const text = await (await fetch('/net.trace.json')).text();
  const model = new tr.Model(), options = new tr.importer.ImportOptions();
  await new Promise((done, failed) =>
    new tr.importer.Import(model, options).importTracesWithProgressDialog([text]).then(done, failed));
  const threads = model.getAllProcesses().flatMap((process) => Object.values(process.threads));
  const series = model.getAllProcesses().flatMap((process) => Object.values(process.counters)).flatMap((c) => c.series);
  const samples = series.flatMap((one) => one.samples);
  return JSON.stringify({
    slices: threads.map((thread) => [thread.name, String(thread.sliceGroup.slices.length),
      String(Math.round(thread.sliceGroup.slices.reduce((sum, slice) => sum + slice.duration, 0) * 1000))]),
    counters: [[String(samples.length), String(Math.round(samples.reduce((sum, sample) => sum + sample.value, 0)))]],
    flows: [[String(model.flowEvents.length)]],
    complaints: model.importWarnings.map((warning) => warning.message)});
})()"""


class Browser:
    """Chromium over its debugging pipe: file descriptors 3 and 4 there, messages that end in a zero byte."""

    def __init__(self, program, folder):
        ends = [end for pipe in (os.pipe(), os.pipe()) for end in pipe]
        commands, self.write, self.read, answers = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
        for end in ends:
            os.close(end)

        def give():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}"],
            preexec_fn=give, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.number, self.buffer = 0, b""

    def ask(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while True:
            while b"\0" not in self.buffer:
                if not select.select([self.read], [], [], max(0, end - time.monotonic()))[0]:
                    sys.exit(f"the browser did not answer {method} within {PATIENCE} s")
                chunk = os.read(self.read, 1 << 16)
                if not chunk:
                    sys.exit(f"the browser ended before it answered {method}")
                self.buffer += chunk
            line, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]

    def found(self, url, script):
        """What |script| makes of the page at |url|."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.navigate", session, url=url)
        end = time.monotonic() + PATIENCE
        while self.value(session, "document.readyState + location.href") != "complete" + url:
            if time.monotonic() > end:
                sys.exit(f"{url} was not loaded within {PATIENCE} s")
            time.sleep(0.1)
        text = self.value(session, script)
        self.ask("Target.closeTarget", targetId=target)
        return json.loads(text)

    def value(self, session, script):
        result = self.ask("Runtime.evaluate", session, expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit(f"the page failed: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def close(self):
        self.process.kill()
        self.process.wait()


def serve(pages, trace):
    """The port of a server of |pages| and |trace| on loopback."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path):
            return str(trace) if path == "/net.trace.json" else super().translate_path(path)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=pages))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def expected(trace):
    """What the file holds, in the form of what the viewers' scripts give."""
    events = json.loads(trace.read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    slices = collections.defaultdict(lambda: [0, 0])
    for event in events:
        if event["ph"] == "X":
            slices[names[event["tid"]]][0] += 1
            slices[names[event["tid"]]][1] += event["dur"]
    values = [value for event in events if event["ph"] == "C" for value in event["args"].values()]
    return {"slices": sorted([name, str(count), str(cycles)] for name, (count, cycles) in slices.items()),
            "counters": [[str(len(values)), str(round(sum(values)))]],
            "flows": [[str(sum(event["ph"] == "s" for event in events))]],
            "complaints": []}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tessera, chromium, build = sys.argv[1:]
    if not os.access(chromium, os.X_OK):
        print("skipped: chromium is not installed; scripts/setup.sh does")
        sys.exit(77)
    root, failed = pathlib.Path(__file__).resolve().parents[2], False
    tool = subprocess.run([root / "scripts/pypi_tool.sh", build, "perfetto"], stdout=subprocess.PIPE, text=True)
    if tool.returncode != 0:
        sys.exit(1)
    pages = pathlib.Path(tool.stdout.strip()).resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        trace = pathlib.Path(folder) / "net.trace.json"
        subprocess.run([tessera, "trace", root / "models/fashion/fashion_int8.onnx", "--device", "cycle", "-o", trace], check=True)
        want = expected(trace)
        catapult = next(pages.glob("v*/assets/catapult_trace_viewer.html")).relative_to(pages)
        base = f"http://127.0.0.1:{serve(pages, trace)}/"
        browser = Browser(chromium, f"{folder}/browser")
        try:
            for viewer, url, script in (("Perfetto", f"{base}#!/?url={base}net.trace.json", PERFETTO),
                                        ("Catapult", f"{base}{catapult}", CATAPULT)):
                have = browser.found(url, script)
                have["slices"].sort()
                for what, value in want.items():
                    if have[what] != value:
                        failed = True
                        print(f"{viewer}: {what}: expected {value}, found {have[what]}")
                print(f"{viewer}: {sum(int(row[1]) for row in have['slices'])} slices on {len(have['slices'])} tracks,"
                      f" {have['flows'][0][0]} arrows, {have['counters'][0][0]} values of counters")
        finally:
            browser.close()
    sys.exit(failed)


if __name__ == "__main__":
    main()

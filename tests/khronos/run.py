#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs Khronos dEQP cases on a build of vlgl and sums up how they ended.

The suite (VK-GL-CTS) is built outside this repository. SUITE is its build folder, LIBRARIES the folder with our
libEGL.so.1 and libGLESv2.so.2, LIST a file with a case name a line. A crash or a case without end counts against that
case alone: the suite is started again behind it. Exit status 1 if any case failed, crashed or hung.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

CASE = re.compile(r"^Test case '([^']+)'\.\.$")
RESULT = re.compile(r"^  (Pass|Fail|NotSupported|QualityWarning|CompatibilityWarning|ResourceError|InternalError|Timeout|Waiver)\b(.*)$")
BAD = {"Fail", "ResourceError", "InternalError", "Timeout", "Crash", "Missing"}


def start(options, cases):
    """The suite on a list of cases, its output as lines."""
    module = os.path.join(options.suite, "modules", options.module)
    names = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False)
    names.write("\n".join(cases) + "\n")
    names.close()
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.abspath(options.libraries))
    command = [os.path.join(module, "deqp-" + options.module), "--deqp-caselist-file=" + names.name,
               "--deqp-log-filename=/dev/null", "--deqp-log-images=disable", "--deqp-log-shader-sources=disable",
               "--deqp-watchdog=disable", "--deqp-surface-type=" + options.surface,
               "--deqp-surface-width=256", "--deqp-surface-height=256", "--deqp-gl-config-name=" + options.config]
    if options.context:
        command.append("--deqp-gl-context-type=" + options.context)
    process = subprocess.Popen(command, cwd=module, env=environment, text=True, errors="replace", stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    return process, names.name


def run_part(options, cases):
    """{case: (result, detail)} of all cases, started as often as crashes make it necessary."""
    results = {}
    left = list(cases)
    while left:
        process, names = start(options, left)
        current = None
        expired = False
        timer = None

        def expire():
            nonlocal expired
            expired = True
            os.killpg(process.pid, signal.SIGKILL)

        for line in process.stdout:
            line = line.rstrip("\n")
            found = CASE.match(line)
            if found:
                current = found.group(1)
                if timer:
                    timer.cancel()
                timer = threading.Timer(options.timeout, expire)
                timer.daemon = True
                timer.start()
                continue
            found = RESULT.match(line)
            if found and current:
                results[current] = (found.group(1), found.group(2).strip(" ()"))
                current = None
        process.wait()
        if timer:
            timer.cancel()
        os.unlink(names)
        before = len(left)
        if current:
            results[current] = ("Timeout", "") if expired else ("Crash", "status %d" % process.returncode)
        left = [case for case in left if case not in results]
        if not current or len(left) == before:
            break  # it came to its end, or does not even start
    for case in left:
        results[case] = ("Missing", "no result")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", metavar="SUITE")
    parser.add_argument("libraries", metavar="LIBRARIES")
    parser.add_argument("list", metavar="LIST")
    parser.add_argument("--module", choices=["gles2", "egl"], default="gles2")
    parser.add_argument("--config", default="rgba8888d24s8ms0")
    parser.add_argument("--surface", choices=["pbuffer", "fbo", "window"], default="pbuffer")
    parser.add_argument("--context", help="the suite's --deqp-gl-context-type, such as egl")
    parser.add_argument("--except", dest="without", help="regular expression of cases to leave out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one case")
    parser.add_argument("--depth", type=int, default=2, help="how many words of a name make a group")
    parser.add_argument("--apart", action="store_true", help="a process for each group: no case sees what another group left behind")
    options = parser.parse_args()
    options.suite = os.path.abspath(options.suite)
    with open(options.list, encoding="ascii") as file:
        cases = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    if options.without:
        cases = [case for case in cases if not re.search(options.without, case)]
    def group(case):
        return ".".join(case.split(".")[1:1 + options.depth])

    runs = [list(run) for _, run in itertools.groupby(cases, group)] if options.apart else [cases]
    parts = [run[i:i + 500] for run in runs for i in range(0, len(run), 500)]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for part in pool.map(lambda part: run_part(options, part), parts):
            results.update(part)
    groups = collections.defaultdict(collections.Counter)
    for case in cases:
        result, detail = results[case]
        groups[group(case)][result] += 1
        groups["total"][result] += 1
        if result not in ("Pass", "NotSupported"):
            print("%s %s %s" % (result, case, detail))
    kinds = [kind for kind, _ in groups["total"].most_common()]
    print("| group | cases | %s |" % " | ".join(kinds))
    print("|---|%s" % ("---:|" * (len(kinds) + 1)))
    for name in [n for n in groups if n != "total"] + ["total"]:
        print("| %s | %d | %s |" % (name, sum(groups[name].values()), " | ".join(str(groups[name][k] or "") for k in kinds)))
    return 1 if any(groups["total"][kind] for kind in BAD) else 0


if __name__ == "__main__":
    sys.exit(main())

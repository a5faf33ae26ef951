# SPDX-License-Identifier: MIT
"""checks.py: runs the vlgl command in a fresh folder and counts what holds, for the tests beside it."""
import os
import shutil
import subprocess
import sys
import tempfile


class Checks:
    def __init__(self, usage):
        if len(sys.argv) < 2:
            sys.exit('usage: ' + usage)
        self.vlgl = os.path.realpath(sys.argv[1])
        self.passed = self.failed = 0
        self.folder = tempfile.mkdtemp(prefix='vlgl-test-')
        os.chdir(self.folder)

    def run(self, *words, env=None, timeout=300):
        """The finished process; its output as text."""
        return subprocess.run([self.vlgl] + list(words), capture_output=True, text=True, timeout=timeout,
                              stdin=subprocess.DEVNULL, env=dict(os.environ, **(env or {})), errors='replace')

    def check(self, good, what):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print('FAILED ' + what)
        return good

    def expect(self, status, pattern, *words, env=None):
        """Runs a command line; its status and a part of its output must be as said. Returns its standard output."""
        done = self.run(*words, env=env)
        good = done.returncode == status and all(p in done.stdout + done.stderr for p in pattern.split('|'))
        if not self.check(good, 'vlgl %s: status %d, wanted %d and "%s"' % (' '.join(words), done.returncode, status,
                                                                          pattern)):
            print('    ' + (done.stdout + done.stderr)[:2000].replace('\n', '\n    '))
        return done.stdout

    def finish(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        print('%d passed, %d failed' % (self.passed, self.failed))
        sys.exit(1 if self.failed or not self.passed else 0)

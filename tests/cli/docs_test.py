#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs_test.py VLGL: help, man page, completion and guides: every command has an example, every option that the guides
use exists, every link leads somewhere."""
import os
import re
import shutil
import subprocess

from checks import Checks

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
t = Checks('docs_test.py VLGL')
commands = re.findall(r'^  ([a-z]+) ', t.run('help').stdout, re.M)
t.check(len(commands) >= 10, 'commands: %s' % commands)
with open(SOURCE + '/samples/man/vlgl.1') as f:
    man = f.read()
helps = {}
for command in commands:
    done = t.run(command, '--help')
    helps[command] = done.stdout
    t.check(done.returncode == 0 and 'usage: vlgl ' + command in done.stdout and done.stderr == '', command + ' --help')
    t.check(done.stdout.count('vlgl ') >= 2, command + ': an example')
    t.check(re.search(r'\b%s\b' % command, man) is not None, command + ' in the man page')
if shutil.which('man'):
    done = subprocess.run(['man', '--warnings', '-l', SOURCE + '/samples/man/vlgl.1'], capture_output=True, text=True)
    t.check(done.returncode == 0 and 'VLGL_TRACE' in done.stdout and not done.stderr, 'man page: ' + done.stderr)
for folder in ('samples/guides', 'samples/golden-ci', 'samples'):
    for name in sorted(os.listdir(os.path.join(SOURCE, folder))):
        if not name.endswith('.md'):
            continue
        with open(os.path.join(SOURCE, folder, name)) as f:
            text = f.read()
        for link in re.findall(r'\]\(([^)#]+)\)', text):
            if not re.match(r'https?:', link):
                t.check(os.path.exists(os.path.join(SOURCE, folder, link)), '%s/%s: link to %s' % (folder, name, link))
        for line in re.findall(r'^ {4,}(?:VLGL_\S+ |\S+=\S+ )*vlgl (.+)$', text, re.M):
            words = line.split('#')[0].split()
            t.check(words[0] in commands, '%s: vlgl %s' % (name, words[0]))
            for option in (w for w in words[1:] if w.startswith('--')):
                t.check(option in helps.get(words[0], ''), '%s: vlgl %s %s' % (name, words[0], option))
script = ('PATH=%s:$PATH; . %s/samples/man/vlgl.bash; try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _vlgl; '
          'echo "${COMPREPLY[@]}"; }; try vlgl tra; try vlgl test --upd; try vlgl render stencil; try vlgl render x --view cy'
          % (os.path.dirname(t.vlgl), SOURCE))
done = subprocess.run(['bash', '-c', script], capture_output=True, text=True)
lines = done.stdout.split('\n')
t.check(lines[0] == 'trace' and '--update' in lines[1] and lines[2] == 'stencil_mirror' and lines[3] == 'cycles',
        'completion: %s %s' % (lines, done.stderr))
t.finish()

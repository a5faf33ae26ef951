# SPDX-License-Identifier: MIT
"""The project's files, for the checks of this folder: git's list or, without git, all but what builds make."""
import os
import subprocess


def project_files(root):
    """Paths relative to root, sorted."""
    try:
        done = subprocess.run(['git', 'ls-files', '-c', '-o', '--exclude-standard'], cwd=root, capture_output=True,
                              text=True, check=True)
        names = done.stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk(root):
            top = folder == root
            folders[:] = [f for f in folders if f not in ('.git', '__pycache__') and
                          not (top and (f.startswith('build') or f == 'out'))]
            names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(n for n in set(names) if os.path.exists(os.path.join(root, n)))

#!/bin/sh
# SPDX-License-Identifier: MIT
# What a CI job runs: status 0 if every scene has its golden pixels and costs. out/report.html is the artifact to
# keep, out/junit.xml what CI systems show. usage: ci.sh [vlgl test options]
set -eu
cd "$(dirname "$0")"
exec vlgl test . "$@"

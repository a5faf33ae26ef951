#!/bin/bash
# SPDX-License-Identifier: MIT
# fetch.sh DIR: brings the shaders of the corpora to DIR/corpus, one folder each, outside the repository. Needs node, npm, git, and
# for glmark2 the Debian packages glmark2-es2-x11, xvfb and libegl-mesa0. What cannot be had is left out with a message.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: fetch.sh DIR}/npm" "$1/git" "$1/corpus"
dir=$(cd "$1" && pwd)

package() { # NAME VERSION: unpacks an npm package into $dir/npm/NAME-VERSION/package
    local to=$dir/npm/$1-$2
    [ -d "$to/package" ] && return
    mkdir -p "$to"
    (cd "$to" && npm pack "$1@$2" --silent >/dev/null && tar xzf ./*.tgz && rm -f ./*.tgz) || echo "no $1 $2"
}

clone() { # OWNER/NAME
    [ -d "$dir/git/${1#*/}" ] || git clone -q --depth 1 "https://github.com/$1" "$dir/git/${1#*/}" || echo "no $1"
}

# What glmark2 draws, with every option that changes a shader, written down by Mesa.
glmark2() {
    local captures=$dir/glmark2-captures arguments=() steps
    command -v glmark2-es2 >/dev/null && command -v xvfb-run >/dev/null || { echo "no glmark2"; return; }
    rm -rf "$captures"
    mkdir -p "$captures"
    for scene in build texture texture:texture-gen=true texture:texture-filter=linear-shader \
        shading:shading={gouraud,blinn-phong-inf,phong,cel} shading:shading=phong:num-lights=4 \
        bump:bump-render={off,high-poly,normals,normals-tangent,height} \
        'effect2d:kernel=0,1,0;1,-4,1;0,1,0;' 'effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;' \
        pulsar:light={false,true}:texture=false pulsar:light=true:texture=true desktop:effect={blur,shadow} \
        buffer:update-method=map ideas jellyfish terrain shadow refract; do
        arguments+=(-b "$scene:duration=0.1")
    done
    for steps in fragment-steps=0:vertex-steps=0 fragment-steps=5:vertex-steps=0 fragment-steps=0:vertex-steps=5; do
        arguments+=(-b "conditionals:$steps:duration=0.1")
    done
    for steps in low medium; do
        arguments+=(-b "function:fragment-complexity=$steps:fragment-steps=5:duration=0.1")
    done
    for steps in fragment-loop=false fragment-uniform=false fragment-uniform=true fragment-loop=true:vertex-loop=true; do
        arguments+=(-b "loop:$steps:fragment-steps=5:vertex-steps=5:duration=0.1")
    done
    arguments+=(-b function:fragment-function=false:vertex-function=true:vertex-complexity=medium:duration=0.1
        -b conditionals:fragment-conditionals=true:vertex-conditionals=true:duration=0.1)
    MESA_SHADER_CAPTURE_PATH=$captures LIBGL_ALWAYS_SOFTWARE=1 xvfb-run -a glmark2-es2 -s 32x32 "${arguments[@]}" >/dev/null 2>&1
    python3 "$here/capture.py" "$captures" "$dir/corpus/glmark2"
}

glmark2
for version in 0.90.0 0.100.0 0.110.0 0.120.0; do
    package three $version
    node "$here/three.js" "$dir/npm/three-$version/package" "$dir/corpus/three-r$(cut -d. -f2 <<<$version)"
done
for version in 4.8.9 5.3.12 6.5.10; do
    package pixi.js $version
    node "$here/pixi.js" "$dir/npm/pixi.js-$version/package" "$dir/corpus/pixi-$version"
done
package mapbox-gl 1.13.0
node "$here/mapbox.js" "$dir/npm/mapbox-gl-1.13.0/package" "$dir/corpus/mapbox-1.13"
package maplibre-gl 2.4.0
node "$here/mapbox.js" "$dir/npm/maplibre-gl-2.4.0/package" "$dir/corpus/maplibre-2.4"
for library in hughsk/glsl-noise patriciogonzalezvivo/lygia; do
    clone $library
    python3 "$here/functions.py" "$dir/git/${library#*/}" "$dir/corpus/${library#*/}"
done

# SPDX-License-Identifier: MIT
# cmake -DINPUT=page.html -DOUTPUT=page.c -DNAME=page_html -P embed.cmake: a file as a C array with a NUL at its end.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made from ${INPUT} by embed.cmake. */\n#include \"cli/page.h\"\nconst char ${NAME}[] = {\n${bytes}0};\n")

// SPDX-License-Identifier: Apache-2.0
//
// A library for btvirt. At its start, btvirt opens two sockets of the kernel's cryptography, which some
// kernels lack. This library opens substitutes, which do not encrypt, because the benchmarks encrypt
// nothing. It also moves btvirt's own sockets from /tmp to $BTVIRT_SOCKETS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int socket(int family, int type, int protocol) {
    int (*real)(int, int, int) = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
    return family == AF_ALG ? open("/dev/null", O_RDWR | O_CLOEXEC) : real(family, type, protocol);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    int (*real)(int, const struct sockaddr *, socklen_t) =
        (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "bind");
    const char *folder = getenv("BTVIRT_SOCKETS");
    if (address->sa_family == AF_ALG) return 0;
    if (address->sa_family != AF_UNIX || !folder) return real(descriptor, address, length);

    struct sockaddr_un moved = {.sun_family = AF_UNIX};
    const char *path = ((const struct sockaddr_un *)address)->sun_path;
    const char *name = strrchr(path, '/');
    snprintf(moved.sun_path, sizeof moved.sun_path, "%s%s", folder, name ? name : path);
    return real(descriptor, (const struct sockaddr *)&moved, sizeof moved);
}

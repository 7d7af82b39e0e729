// SPDX-License-Identifier: Apache-2.0
//
// The raw round trip: two processes, one Unix socket, a plain write and a plain read at each end.
//
//   echo SIZE COUNT        prints the seconds of COUNT round trips of SIZE bytes
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { warmUp = 2000 };

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void receive(int descriptor, char *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t part = read(descriptor, bytes + done, count - done);
        if (part <= 0) _exit(0);
        done += (size_t)part;
    }
}

static void send1(int descriptor, const char *bytes, size_t count) {
    if (write(descriptor, bytes, count) != (ssize_t)count) _exit(1);
}

static void roundTrips(int descriptor, char *bytes, size_t size, long count) {
    for (long index = 0; index < count; index++) {
        send1(descriptor, bytes, size);
        receive(descriptor, bytes, size);
    }
}

int main(int argumentCount, char **arguments) {
    static char bytes[65536];
    int ends[2];
    if (argumentCount != 3 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 2;
    size_t size = strtoul(arguments[1], NULL, 10);
    long count = strtol(arguments[2], NULL, 10);
    if (fork() == 0) {
        close(ends[0]);
        for (;;) {
            receive(ends[1], bytes, size);
            send1(ends[1], bytes, size);
        }
    }
    close(ends[1]);
    roundTrips(ends[0], bytes, size, warmUp);
    double start = seconds();
    roundTrips(ends[0], bytes, size, count);
    printf("%.9f\n", seconds() - start);
}

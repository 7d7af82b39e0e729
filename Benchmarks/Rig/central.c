// SPDX-License-Identifier: Apache-2.0
//
// A central that is no host: it sends prepared bytes and compares nothing. What it measures is the
// floor, the time and work that controller, peripheral and sockets take by themselves.
//
//   central PATH ADDRESS
//
// Does what its standard input says, as every central of the rig does: `read COUNT` or
// `notify COUNT SIZE`; answers each line with `done SECONDS`.
#include "controller.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { valueHandle = 3, configurationHandle = 6, grantHandle = 8 };
enum { window = 64 };              // btvirt drops packets when 200 wait for a host

static Controller controller;
static uint16_t connection;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void await(uint8_t opcode) {
    for (;;) {
        Arrival arrival = next(&controller);
        if (arrival.kind == isFrame && arrival.octets[0] == opcode) return;
    }
}

static void dial(const char *text) {
    uint8_t parameters[25] = {96, 0, 96, 0, 0, 0};
    unsigned octets[6];
    sscanf(text, "%x:%x:%x:%x:%x:%x", &octets[5], &octets[4], &octets[3], &octets[2], &octets[1],
           &octets[0]);
    for (int index = 0; index < 6; index++) parameters[6 + index] = (uint8_t)octets[index];
    parameters[13] = parameters[15] = 24;
    parameters[19] = 72;
    post(&controller, 0x200D, parameters, sizeof parameters);
    for (;;) {
        Arrival arrival = next(&controller);
        if (arrival.kind != isEvent || arrival.code != 0x3E || arrival.octets[0] != 1) continue;
        connection = little16(arrival.octets + 2);
        break;
    }
    static const uint8_t exchangeMTU[] = {0x02, 247, 0};
    static const uint8_t subscribe[] = {0x12, configurationHandle, 0, 1, 0};
    sendPDU(&controller, connection, exchangeMTU, sizeof exchangeMTU);
    await(0x03);
    sendPDU(&controller, connection, subscribe, sizeof subscribe);
    await(0x13);
}

static void measureReads(long count) {
    static const uint8_t request[] = {0x0A, valueHandle, 0};
    for (long index = 0; index < count; index++) {
        sendPDU(&controller, connection, request, sizeof request);
        await(0x0B);
    }
}

static void grant(long count, int size) {
    uint8_t write[] = {
        0x52, grantHandle, 0, (uint8_t)count, (uint8_t)(count >> 8), (uint8_t)size,
        (uint8_t)(size >> 8),
    };
    sendPDU(&controller, connection, write, sizeof write);
}

// Keeps half a window to a whole one asked for, so that the peripheral never waits.
static void measureNotifications(long count, int size) {
    grant(window, size);
    for (long asked = window, received = 0; received < count;) {
        await(0x1B);
        received++;
        if (asked - received == window / 2 && asked < count) {
            grant(window / 2, size);
            asked += window / 2;
        }
    }
}

int main(int argumentCount, char **arguments) {
    if (argumentCount != 3) return fprintf(stderr, "usage: central PATH ADDRESS\n"), 2;
    openController(&controller, arguments[1]);
    dial(arguments[2]);
    printf("ready\n");
    fflush(stdout);
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        long count;
        int size;
        double start = seconds();
        if (sscanf(line, "read %ld", &count) == 1) measureReads(count);
        else if (sscanf(line, "notify %ld %d", &count, &size) == 2) measureNotifications(count, size);
        else return 2;
        printf("done %.9f\n", seconds() - start);
        fflush(stdout);
    }
}

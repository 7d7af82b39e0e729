// SPDX-License-Identifier: Apache-2.0
//
// A controller among advertisers: it answers every command and, while a host scans, reports
// advertisements, each in an event of its own, at even intervals.
//
//   advertisers PATH REPORTS_PER_SECOND ADVERTISERS [FIRST]
//
// FIRST is the number of the first advertiser, 0 by default.
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

enum { commandPacket = 1, eventPacket = 4, reportLength = 3 + 12 + 31 };
enum { extendedScanning = 0x2042, scanning = 0x200C };

static int host, isScanning;
static long advertiserCount, firstAdvertiser;

// The return parameters of a command after the status. The remaining bytes are zero.
typedef struct { uint16_t opcode; uint8_t count; uint8_t bytes[64]; } Answer;
static const Answer answers[] = {
    {0x1001, 8, {9, 0, 0, 9, 0xFF, 0xFF}},
    // The commands of a central of Bluetooth 4.0: Vol 4, Part E, 6.27.
    {0x1002, 64, {[0] = 0x20, [5] = 0xC0, [14] = 0x28, [15] = 0x02, [25] = 0x17, [26] = 0x3C}},
    {0x1003, 8, {[4] = 0x60}},
    {0x1005, 7, {251, 0, 0, 8, 0, 0, 0}},
    {0x1009, 6, {1, 0, 0, 1, 0xAA, 0}},
    {0x2002, 3, {251, 0, 8}},
    {0x2003, 8, {0}},
    {0x200F, 1, {8}},
    {0x201C, 8, {255, 255, 255}},
};

static void transmit(const uint8_t *bytes, size_t count) {
    if (write(host, bytes, count) != (ssize_t)count) exit(0);
}

static void answer(uint16_t opcode) {
    uint8_t event[7 + 64] = {eventPacket, 0x0E, 4, 1, (uint8_t)opcode, (uint8_t)(opcode >> 8), 0};
    for (size_t index = 0; index < sizeof answers / sizeof *answers; index++) {
        if (answers[index].opcode != opcode) continue;
        memcpy(event + 7, answers[index].bytes, answers[index].count);
        event[2] = (uint8_t)(4 + answers[index].count);
    }
    transmit(event, 3 + (size_t)event[2]);
}

static void receive(void) {
    uint8_t bytes[4096];
    ssize_t count = read(host, bytes, sizeof bytes);
    if (count <= 0) exit(0);
    for (ssize_t start = 0; start + 4 <= count; start += 4 + bytes[start + 3]) {
        uint16_t opcode = (uint16_t)(bytes[start + 1] | bytes[start + 2] << 8);
        if (opcode == scanning || opcode == extendedScanning) isScanning = bytes[start + 4];
        answer(opcode);
    }
}

// Connectable, with flags, a name, a service and manufacturer data: 31 bytes.
static void report(long number) {
    uint8_t event[reportLength] = {
        eventPacket, 0x3E, reportLength - 3, 0x02, 1, 0, 1,
        (uint8_t)number, (uint8_t)(number >> 8), 0x22, 0x33, 0x44, 0xC5, 31,
        2, 0x01, 0x06, 3, 0x03, 0x0F, 0x18, 9, 0x09, 'L', 'a', 'n', 'y', 'a', 'r', 'd', '0',
        13, 0xFF, 0xFF, 0xFF, (uint8_t)number, (uint8_t)(number >> 8),
    };
    event[reportLength - 1] = 0xC4;
    transmit(event, sizeof event);
}

static int listenAt(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (void *)&address, sizeof address) != 0 || listen(listener, 1) != 0) exit(1);
    return listener;
}

int main(int count, char **arguments) {
    if (count < 4 || count > 5) {
        return fprintf(stderr, "usage: advertisers PATH RATE ADVERTISERS [FIRST]\n"), 2;
    }
    long rate = strtol(arguments[2], NULL, 10), number = 0;
    advertiserCount = strtol(arguments[3], NULL, 10);
    if (count == 5) firstAdvertiser = strtol(arguments[4], NULL, 10);
    int listener = listenAt(arguments[1]), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct timespec period = {0, 1000000000 / rate};
    timerfd_settime(timer, 0, &(struct itimerspec){period, period}, NULL);
    printf("ready\n");
    fflush(stdout);
    host = accept(listener, NULL, NULL);
    struct pollfd waits[] = {{host, POLLIN, 0}, {timer, POLLIN, 0}};
    while (poll(waits, 2, -1) > 0) {
        uint64_t due = 0;
        if (waits[0].revents) receive();
        if (waits[1].revents && read(timer, &due, sizeof due) != sizeof due) return 1;
        while (isScanning && due-- > 0) report(firstAdvertiser + number++ % advertiserCount);
    }
}

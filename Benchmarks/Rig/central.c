// SPDX-License-Identifier: Apache-2.0
//
// A central without a host: it sends prepared bytes and does not check values. It measures the
// reference: the time and CPU time of controller, peripheral and sockets alone.
//
//   central PATH ADDRESS
//
// Executes the commands on its standard input: `read COUNT`, `write COUNT` or `notify COUNT SIZE`.
// Answers each line with `done SECONDS`. ADDRESS is public unless `/random` follows it.
#include "controller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { valueUUID = 0xFFF1, notifyingUUID = 0xFFF2, grantUUID = 0xFFF3 };
enum { window = 64 };              // btvirt drops packets when 200 wait for a host

static Controller controller;
static uint16_t connection;
static uint16_t valueHandle, notifyingHandle, grantHandle;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void request(const uint8_t *bytes, size_t count) {
    sendPDU(&controller, connection, bytes, count);
}

// The next PDU with this opcode. An error ends the program.
static Arrival await(uint8_t opcode) {
    for (;;) {
        Arrival arrival = next(&controller);
        if (arrival.kind != isFrame) continue;
        if (arrival.bytes[0] == opcode) return arrival;
        static const uint8_t mtuResponse[] = {0x03, 247, 0};
        if (arrival.bytes[0] == 0x02) request(mtuResponse, sizeof mtuResponse);
        if (arrival.bytes[0] == 0x01) {
            fprintf(stderr, "central: refused %02x: %02x\n", arrival.bytes[1], arrival.bytes[4]);
            exit(1);
        }
    }
}

static void openConnection(const char *text) {
    uint8_t parameters[25] = {96, 0, 96, 0, 0, 0};
    unsigned bytes[6];
    sscanf(text, "%x:%x:%x:%x:%x:%x", &bytes[5], &bytes[4], &bytes[3], &bytes[2], &bytes[1],
           &bytes[0]);
    for (int index = 0; index < 6; index++) parameters[6 + index] = (uint8_t)bytes[index];
    parameters[5] = strstr(text, "/random") != NULL;
    parameters[13] = parameters[15] = 24;
    parameters[19] = 72;
    post(&controller, 0x200D, parameters, sizeof parameters);
    for (;;) {
        Arrival arrival = next(&controller);
        if (arrival.kind != isEvent || arrival.code != 0x3E || arrival.bytes[0] != 1) continue;
        connection = little16(arrival.bytes + 2);
        break;
    }
}

// Reads every declaration of a characteristic until it has found all three.
static void discover(void) {
    uint16_t start = 1;
    while (!valueHandle || !notifyingHandle || !grantHandle) {
        const uint8_t bytes[] = {
            0x08, (uint8_t)start, (uint8_t)(start >> 8), 0xFF, 0xFF, 0x03, 0x28,
        };
        request(bytes, sizeof bytes);
        Arrival arrival = await(0x09);
        size_t length = arrival.bytes[1];
        for (size_t place = 2; place + length <= arrival.count; place += length) {
            const uint8_t *entry = arrival.bytes + place;
            uint16_t uuid = length == 7 ? little16(entry + 5) : 0;
            if (uuid == valueUUID) valueHandle = little16(entry + 3);
            if (uuid == notifyingUUID) notifyingHandle = little16(entry + 3);
            if (uuid == grantUUID) grantHandle = little16(entry + 3);
            start = (uint16_t)(little16(entry) + 1);
        }
    }
}

// In every server of the rig, the notifying value is followed by its Client Characteristic
// Configuration.
static void subscribe(void) {
    const uint8_t exchangeMTU[] = {0x02, 247, 0};
    request(exchangeMTU, sizeof exchangeMTU);
    await(0x03);
    discover();
    uint16_t handle = notifyingHandle + 1;
    const uint8_t bytes[] = {0x12, (uint8_t)handle, (uint8_t)(handle >> 8), 1, 0};
    request(bytes, sizeof bytes);
    await(0x13);
}

static void measureReads(long count) {
    const uint8_t bytes[] = {0x0A, (uint8_t)valueHandle, (uint8_t)(valueHandle >> 8)};
    for (long index = 0; index < count; index++) {
        request(bytes, sizeof bytes);
        await(0x0B);
    }
}

static void measureWrites(long count) {
    uint8_t bytes[3 + 20] = {0x12, (uint8_t)valueHandle, (uint8_t)(valueHandle >> 8)};
    for (long index = 0; index < count; index++) {
        memcpy(bytes + 3, &index, sizeof index);
        request(bytes, sizeof bytes);
        await(0x13);
    }
}

static void grant(long count, int size) {
    const uint8_t bytes[] = {
        0x52, (uint8_t)grantHandle, (uint8_t)(grantHandle >> 8), (uint8_t)count,
        (uint8_t)(count >> 8), (uint8_t)size, (uint8_t)(size >> 8),
    };
    request(bytes, sizeof bytes);
}

// Requests notifications in advance, so that the peripheral never waits: between half a window and
// a whole window of them are outstanding.
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
    openConnection(arguments[2]);
    subscribe();
    printf("ready\n");
    fflush(stdout);
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        long count;
        int size;
        double start = seconds();
        if (sscanf(line, "read %ld", &count) == 1) measureReads(count);
        else if (sscanf(line, "write %ld", &count) == 1) measureWrites(count);
        else if (sscanf(line, "notify %ld %d", &count, &size) == 2) measureNotifications(count, size);
        else return 2;
        printf("done %.9f\n", seconds() - start);
        fflush(stdout);
    }
}

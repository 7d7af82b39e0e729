// SPDX-License-Identifier: Apache-2.0
#include "controller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { commandPacket = 1, dataPacket = 2, eventPacket = 4 };
enum { commandComplete = 0x0E, commandStatus = 0x0F, completedPackets = 0x13 };
enum { continuingFragment = 1 };

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void append(uint8_t *buffer, size_t *count, const void *bytes, size_t added) {
    if (*count + added > outputLimit) fail("too much to send");
    if (added) memcpy(buffer + *count, bytes, added);
    *count += added;
}

void post(Controller *controller, uint16_t opcode, const void *parameters, size_t count) {
    uint8_t header[] = {commandPacket, (uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)count};
    append(controller->output, &controller->outputCount, header, sizeof header);
    append(controller->output, &controller->outputCount, parameters, count);
}

const uint8_t *command(
    Controller *controller, uint16_t opcode, const void *parameters, size_t count) {
    post(controller, opcode, parameters, count);
    for (;;) {
        Arrival arrival = next(controller);
        if (arrival.kind != isEvent) continue;
        if (arrival.code == commandComplete && little16(arrival.bytes + 1) == opcode) {
            if (arrival.bytes[3] != 0) fprintf(stderr, "%04x: refused\n", opcode);
            return arrival.bytes + 4;
        }
        if (arrival.code == commandStatus && little16(arrival.bytes + 2) == opcode) {
            if (arrival.bytes[0] != 0) fprintf(stderr, "%04x: refused\n", opcode);
            return arrival.bytes + 1;
        }
    }
}

void openController(Controller *controller, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    controller->descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(controller->descriptor, (void *)&address, sizeof address) != 0) fail(path);

    static const uint8_t everyEvent[8] = {255, 255, 255, 255, 255, 255, 255, 0x3F};
    static const uint8_t lowEnergyEvents[8] = {0x1F};
    command(controller, 0x0C03, NULL, 0);  // Reset
    command(controller, 0x0C01, everyEvent, sizeof everyEvent);
    command(controller, 0x2001, lowEnergyEvents, sizeof lowEnergyEvents);
    const uint8_t *buffers = command(controller, 0x2002, NULL, 0);
    controller->packetLength = little16(buffers);
    controller->credits = buffers[2];
}

int hasWaiting(const Controller *controller) {
    return controller->waitingCount != controller->waitingStart;
}

void sendPDU(Controller *controller, uint16_t handle, const uint8_t *bytes, size_t count) {
    if (!hasWaiting(controller)) controller->waitingStart = controller->waitingCount = 0;
    uint8_t frame[1024] = {(uint8_t)count, (uint8_t)(count >> 8), attributeChannel, 0};
    memcpy(frame + 4, bytes, count);
    count += 4;
    for (size_t start = 0; start < count; start += controller->packetLength) {
        size_t part = count - start;
        if (part > controller->packetLength) part = controller->packetLength;
        uint8_t boundary = start ? continuingFragment : 0;
        uint8_t header[] = {
            dataPacket, (uint8_t)handle, (uint8_t)(handle >> 8 | boundary << 4),
            (uint8_t)part, (uint8_t)(part >> 8),
        };
        append(controller->waiting, &controller->waitingCount, header, sizeof header);
        append(controller->waiting, &controller->waitingCount, frame + start, part);
    }
}

static void flush(Controller *controller) {
    while (controller->credits > 0 && hasWaiting(controller)) {
        const uint8_t *packet = controller->waiting + controller->waitingStart;
        size_t count = 5 + (size_t)little16(packet + 3);
        append(controller->output, &controller->outputCount, packet, count);
        controller->waitingStart += count;
        controller->credits--;
    }
    for (size_t written = 0; written < controller->outputCount;) {
        ssize_t count = write(
            controller->descriptor, controller->output + written,
            controller->outputCount - written);
        if (count <= 0) fail("write");
        written += (size_t)count;
    }
    controller->outputCount = 0;
}

static size_t packetCount(const uint8_t *bytes, size_t count) {
    if (count < 3) return 0;
    switch (bytes[0]) {
    case eventPacket: return 3 + (size_t)bytes[2];
    case dataPacket: return count < 5 ? 0 : 5 + (size_t)little16(bytes + 3);
    default: fail("not an H4 packet"); return 0;
    }
}

static void fill(Controller *controller) {
    flush(controller);
    memmove(controller->input, controller->input + controller->inputStart, controller->inputCount);
    controller->inputStart = 0;
    ssize_t count = read(
        controller->descriptor, controller->input + controller->inputCount,
        inputLimit - controller->inputCount);
    if (count <= 0) exit(0);
    controller->inputCount += (size_t)count;
}

static const uint8_t *nextPacket(Controller *controller) {
    for (;;) {
        const uint8_t *packet = controller->input + controller->inputStart;
        size_t count = packetCount(packet, controller->inputCount);
        if (count && count <= controller->inputCount) {
            controller->inputStart += count;
            controller->inputCount -= count;
            return packet;
        }
        fill(controller);
    }
}

static void takeCredits(Controller *controller, const uint8_t *parameters) {
    for (int index = 0; index < parameters[0]; index++) {
        controller->credits += little16(parameters + 1 + 4 * index + 2);
    }
}

// Joins fragments. Returns true when the frame is complete.
static int join(Controller *controller, const uint8_t *packet) {
    size_t count = little16(packet + 3);
    if ((packet[2] >> 4 & 3) != continuingFragment) controller->frameCount = 0;
    if (controller->frameCount + count > sizeof controller->frame) fail("a frame too long");
    memcpy(controller->frame + controller->frameCount, packet + 5, count);
    controller->frameCount += count;
    return controller->frameCount >= 4
        && controller->frameCount == 4 + (size_t)little16(controller->frame);
}

Arrival next(Controller *controller) {
    for (;;) {
        const uint8_t *packet = nextPacket(controller);
        if (packet[0] == eventPacket) {
            if (packet[1] == completedPackets) takeCredits(controller, packet + 3);
            return (Arrival){isEvent, packet[1], 0, packet + 3, packet[2]};
        }
        if (!join(controller, packet) || little16(controller->frame + 2) != attributeChannel) continue;
        return (Arrival){
            isFrame, 0, little16(packet + 1) & 0x0FFF, controller->frame + 4,
            controller->frameCount - 4,
        };
    }
}

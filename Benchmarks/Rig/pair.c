// SPDX-License-Identifier: Apache-2.0
//
// Two controllers without a radio: each of the two hosts that connect to the socket has one, and
// data passes from one to the other at once. It costs almost nothing, so the measurement is that of
// the hosts.
//
//   pair PATH
//
// Like btvirt, each controller has one data buffer, of 192 bytes: every packet waits until the one
// before it is reported as completed. Prints `ready`.
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { commandPacket = 1, dataPacket = 2, eventPacket = 4 };
enum { connection = 0x40, packetLength = 192, packetCount = 1 };

typedef struct {
    int host;
    uint8_t input[1 << 17], output[1 << 17];
    size_t inputCount, outputCount;
    uint8_t publicAddress[6], randomAddress[6];
    uint8_t listed[7];                  // the latest entry of the Filter Accept List
    uint8_t ownKind, isAdvertising;
    unsigned completed;                 // packets that are still to be reported as completed
} Controller;

static Controller controllers[2];
static int wantsConnection = -1;        // the controller that initiates, or -1
static uint8_t initiation[25];          // the parameters of its command
static int isConnected;

static uint16_t little16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static void put(Controller *controller, const void *bytes, size_t count) {
    if (controller->outputCount + count > sizeof controller->output) exit(1);
    memcpy(controller->output + controller->outputCount, bytes, count);
    controller->outputCount += count;
}

static void flush(Controller *controller) {
    for (size_t written = 0; written < controller->outputCount;) {
        ssize_t count =
            write(controller->host, controller->output + written, controller->outputCount - written);
        if (count <= 0) exit(0);
        written += (size_t)count;
    }
    controller->outputCount = 0;
}

// The return parameters of a command after the status. The remaining bytes are zero.
typedef struct { uint16_t opcode; uint8_t count; uint8_t bytes[64]; } Answer;
static const Answer answers[] = {
    {0x1001, 8, {9, 0, 0, 9, 0xFF, 0xFF}},
    // The commands for a host of Bluetooth 4.0, central or peripheral: Vol 4, Part E, 6.27.
    {0x1002, 64, {[0] = 0x20, [5] = 0xC0, [14] = 0x28, [15] = 0x02, [25] = 0xF7, [26] = 0x3F,
                  [27] = 0x24, [28] = 0x06}},
    {0x1003, 8, {[4] = 0x60}},
    {0x1005, 7, {packetLength, 0, 0, packetCount}},
    {0x2002, 3, {packetLength, 0, packetCount}},
    {0x2003, 8, {0}},
    {0x2007, 1, {0}},
    {0x200F, 1, {8}},
    {0x201C, 8, {255, 255, 255}},
};

static void complete(Controller *controller, uint16_t opcode) {
    uint8_t event[7 + 64] = {eventPacket, 0x0E, 4, 1, (uint8_t)opcode, (uint8_t)(opcode >> 8), 0};
    for (size_t index = 0; index < sizeof answers / sizeof *answers; index++) {
        if (answers[index].opcode != opcode) continue;
        memcpy(event + 7, answers[index].bytes, answers[index].count);
        event[2] = (uint8_t)(4 + answers[index].count);
    }
    if (opcode == 0x1009) {
        memcpy(event + 7, controller->publicAddress, 6);
        event[2] = 4 + 6;
    }
    put(controller, event, 3 + (size_t)event[2]);
}

static void status(Controller *controller, uint16_t opcode) {
    uint8_t event[] = {eventPacket, 0x0F, 4, 0, 1, (uint8_t)opcode, (uint8_t)(opcode >> 8)};
    put(controller, event, sizeof event);
}

// Role 0 is the central: an interval of 30 ms and a supervision timeout of 720 ms.
static void announceConnection(Controller *to, uint8_t role, uint8_t kind, const uint8_t *peer) {
    uint8_t event[22] = {eventPacket, 0x3E, 19, 0x01, 0, connection, 0, role, kind};
    memcpy(event + 9, peer, 6);
    event[15] = 24;
    event[19] = 72;
    put(to, event, sizeof event);
}

// Connects the controllers when one initiates and the other advertises.
static void connectIfPossible(void) {
    if (wantsConnection < 0 || !controllers[!wantsConnection].isAdvertising) return;
    Controller *central = &controllers[wantsConnection];
    const uint8_t *wanted = initiation[4] ? central->listed : initiation + 5;
    announceConnection(central, 0, wanted[0], wanted + 1);
    uint8_t kind = initiation[12] & 1;
    const uint8_t *own = kind ? central->randomAddress : central->publicAddress;
    announceConnection(&controllers[!wantsConnection], 1, kind, own);
    controllers[!wantsConnection].isAdvertising = 0;
    wantsConnection = -1;
    isConnected = 1;
}

static void receiveCommand(Controller *controller, const uint8_t *packet) {
    uint16_t opcode = little16(packet + 1);
    const uint8_t *parameters = packet + 4;
    switch (opcode) {
    case 0x2005: memcpy(controller->randomAddress, parameters, 6); break;
    case 0x200A: controller->isAdvertising = parameters[0]; break;
    case 0x2011: memcpy(controller->listed, parameters, 7); break;
    case 0x200D:
        status(controller, opcode);
        memcpy(initiation, parameters, sizeof initiation);
        wantsConnection = controller == &controllers[1];
        return connectIfPossible();
    case 0x2016: {
        uint8_t event[15] = {eventPacket, 0x3E, 12, 0x04, 0, connection, 0};
        status(controller, opcode);
        return put(controller, event, sizeof event);
    }
    case 0x0406: {
        uint8_t event[] = {eventPacket, 0x05, 4, 0, connection, 0, 0x16};
        status(controller, opcode);
        if (isConnected) put(&controllers[0], event, sizeof event);
        if (isConnected) put(&controllers[1], event, sizeof event);
        isConnected = 0;
        return;
    }
    }
    complete(controller, opcode);
    connectIfPossible();
}

static void receiveData(Controller *controller, uint8_t *packet, size_t count) {
    if (!isConnected) return;
    // The first part of a frame has another flag in this direction: Vol 4, Part E, 5.4.2.
    if ((packet[2] >> 4 & 3) == 0) packet[2] |= 0x20;
    put(&controllers[controller == &controllers[0]], packet, count);
    controller->completed++;
}

static void announceCompleted(Controller *controller) {
    if (!controller->completed) return;
    uint8_t event[] = {eventPacket, 0x13, 5, 1, connection, 0, (uint8_t)controller->completed, 0};
    put(controller, event, sizeof event);
    controller->completed = 0;
}

static void receive(Controller *controller) {
    uint8_t *input = controller->input;
    ssize_t read1 = read(controller->host, input + controller->inputCount,
                         sizeof controller->input - controller->inputCount);
    if (read1 <= 0) exit(0);
    controller->inputCount += (size_t)read1;
    size_t place = 0;
    for (;;) {
        uint8_t *packet = input + place;
        size_t rest = controller->inputCount - place;
        if (rest < 4 || (packet[0] == dataPacket && rest < 5)) break;
        size_t length = packet[0] == commandPacket ? 4 + (size_t)packet[3]
                                                   : 5 + (size_t)little16(packet + 3);
        if (length > rest) break;
        if (packet[0] == commandPacket) receiveCommand(controller, packet);
        else receiveData(controller, packet, length);
        place += length;
    }
    memmove(input, input + place, controller->inputCount - place);
    controller->inputCount -= place;
    announceCompleted(controller);
    flush(&controllers[0]);
    if (controllers[1].host) flush(&controllers[1]);
}

static int listenAt(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (void *)&address, sizeof address) != 0 || listen(listener, 2) != 0) exit(1);
    return listener;
}

int main(int count, char **arguments) {
    if (count != 2) return fprintf(stderr, "usage: pair PATH\n"), 2;
    int listener = listenAt(arguments[1]), hostCount = 0;
    puts("ready");
    fflush(stdout);
    struct pollfd waits[3] = {{listener, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
    while (poll(waits, 3, -1) > 0) {
        if (waits[0].revents) {
            Controller *controller = &controllers[hostCount];
            controller->host = accept(listener, NULL, NULL);
            const uint8_t address[] = {(uint8_t)hostCount, 0, 0, 1, 0xAA, 0};
            memcpy(controller->publicAddress, address, sizeof address);
            waits[++hostCount].fd = controller->host;
            if (hostCount == 2) waits[0].fd = -1;
        }
        if (waits[1].revents) receive(&controllers[0]);
        if (waits[2].revents) receive(&controllers[1]);
    }
}

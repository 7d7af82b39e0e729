// SPDX-License-Identifier: Apache-2.0
//
// A controller in a crowd: it answers every command, and each time its host advertises, another
// central connects. The centrals cost almost nothing, so the measurement is that of a server with
// this many clients.
//
//   crowd PATH CENTRALS
//
// Prints `ready`, and `crowded` when all centrals are connected and subscribed. Then it executes
// the commands on its standard input: `read COUNT` or `notify COUNT SIZE`, with COUNT as the total.
// The server has the database of peripheral.c. During `read`, each central has one pending request.
// During `notify`, half a window to a whole window of requested notifications is outstanding for each
// central. Answers with `done SECONDS LEAST MOST`: the numbers of answers or notifications that the
// slowest and the fastest central received.
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { commandPacket = 1, dataPacket = 2, eventPacket = 4 };
enum { centralLimit = 64, firstConnection = 0x40, packetLength = 251, packetCount = 16 };
enum { valueUUID = 0xFFF1, notifyingUUID = 0xFFF2, grantUUID = 0xFFF3, window = 64 };

typedef struct {
    int isSubscribed;
    uint16_t value, notifying, grants;  // handles
    long received, asked;
    unsigned completed;                 // packets that are still to be reported as completed
    uint8_t frame[1024];                // the frame that is arriving
    size_t frameCount;
} Central;

static Central centrals[centralLimit];
static long centralCount, connectedCount, subscribedCount;
static int host;
static uint8_t output[1 << 20], input[1 << 18];
static size_t outputCount, inputCount;
static char order;                      // 'r' or 'n' during a command
static long wanted, done;
static int size;
static double start;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint16_t little16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static void put(const void *bytes, size_t count) {
    if (outputCount + count > sizeof output) exit(1);
    memcpy(output + outputCount, bytes, count);
    outputCount += count;
}

static void flush(void) {
    for (size_t written = 0; written < outputCount;) {
        ssize_t count = write(host, output + written, outputCount - written);
        if (count <= 0) exit(0);
        written += (size_t)count;
    }
    outputCount = 0;
}

// The controller's packets for the host

// The return parameters of a command after the status. The remaining bytes are zero.
typedef struct { uint16_t opcode; uint8_t count; uint8_t bytes[64]; } Answer;
static const Answer answers[] = {
    {0x1001, 8, {9, 0, 0, 9, 0xFF, 0xFF}},
    // The commands for a host of Bluetooth 4.0, central or peripheral: Vol 4, Part E, 6.27.
    {0x1002, 64, {[0] = 0x20, [5] = 0xC0, [14] = 0x28, [15] = 0x02, [25] = 0xF7, [26] = 0x3F,
                  [27] = 0x24, [28] = 0x06}},
    {0x1003, 8, {[4] = 0x60}},
    {0x1005, 7, {251, 0, 0, 8, 0, 0, 0}},
    {0x1009, 6, {1, 0, 0, 1, 0xAA, 0}},
    {0x2002, 3, {packetLength, 0, packetCount}},
    {0x2003, 8, {0}},
    {0x2007, 1, {0}},
    {0x200F, 1, {8}},
    {0x201C, 8, {255, 255, 255}},
};

static void answer(uint16_t opcode) {
    uint8_t event[7 + 64] = {eventPacket, 0x0E, 4, 1, (uint8_t)opcode, (uint8_t)(opcode >> 8), 0};
    for (size_t index = 0; index < sizeof answers / sizeof *answers; index++) {
        if (answers[index].opcode != opcode) continue;
        memcpy(event + 7, answers[index].bytes, answers[index].count);
        event[2] = (uint8_t)(4 + answers[index].count);
    }
    put(event, 3 + (size_t)event[2]);
}

static void announceCompleted(void) {
    uint8_t event[4 + 4 * centralLimit] = {eventPacket, 0x13, 0, 0};
    size_t count = 4;
    for (int number = 0; number < centralCount; number++) {
        if (!centrals[number].completed) continue;
        uint8_t entry[] = {(uint8_t)(firstConnection + number), 0,
                           (uint8_t)centrals[number].completed, 0};
        memcpy(event + count, entry, sizeof entry);
        count += sizeof entry;
        centrals[number].completed = 0;
        event[3]++;
    }
    event[2] = (uint8_t)(count - 3);
    if (count > 4) put(event, count);
}

// The centrals' packets

static void sendPDU(int number, const uint8_t *bytes, size_t count) {
    uint8_t header[] = {
        dataPacket, (uint8_t)(firstConnection + number), 0x20, (uint8_t)(count + 4), 0,
        (uint8_t)count, 0, 4, 0,
    };
    put(header, sizeof header);
    put(bytes, count);
}

static void discover(int number, uint16_t first) {
    uint8_t request[] = {0x08, (uint8_t)first, (uint8_t)(first >> 8), 0xFF, 0xFF, 0x03, 0x28};
    sendPDU(number, request, sizeof request);
}

static void subscribe(int number) {
    uint16_t handle = centrals[number].notifying + 1;
    uint8_t request[] = {0x12, (uint8_t)handle, (uint8_t)(handle >> 8), 1, 0};
    sendPDU(number, request, sizeof request);
}

static void readValue(int number) {
    uint16_t handle = centrals[number].value;
    uint8_t request[] = {0x0A, (uint8_t)handle, (uint8_t)(handle >> 8)};
    sendPDU(number, request, sizeof request);
}

static void grant(int number, int count) {
    uint16_t handle = centrals[number].grants;
    uint8_t command[] = {0x52, (uint8_t)handle, (uint8_t)(handle >> 8), (uint8_t)count, 0,
                         (uint8_t)size, (uint8_t)(size >> 8)};
    sendPDU(number, command, sizeof command);
    centrals[number].asked += count;
}

static void connectNext(void) {
    if (connectedCount == centralCount) return;
    uint8_t number = (uint8_t)connectedCount++;
    uint8_t event[] = {
        eventPacket, 0x3E, 19, 0x01, 0, (uint8_t)(firstConnection + number), 0, 1, 0,
        number, 0, 0, 0, 0xCE, 0, 24, 0, 0, 0, 72, 0, 0,
    };
    static const uint8_t exchangeMTU[] = {0x02, 247, 0};
    put(event, sizeof event);
    sendPDU(number, exchangeMTU, sizeof exchangeMTU);
}

// The packets for the centrals

static void learn(int number, const uint8_t *pdu, size_t count) {
    Central *central = &centrals[number];
    size_t length = pdu[1];
    uint16_t last = 0;
    for (size_t place = 2; place + length <= count; place += length) {
        last = little16(pdu + place);
        uint16_t uuid = length == 7 ? little16(pdu + place + 5) : 0;
        if (uuid == valueUUID) central->value = little16(pdu + place + 3);
        if (uuid == notifyingUUID) central->notifying = little16(pdu + place + 3);
        if (uuid == grantUUID) central->grants = little16(pdu + place + 3);
    }
    if (central->value && central->notifying && central->grants) subscribe(number);
    else discover(number, last + 1);
}

static void countOne(int number) {
    Central *central = &centrals[number];
    central->received++;
    if (++done >= wanted) return;
    if (order == 'r') readValue(number);
    else if (central->asked - central->received == window / 2) grant(number, window / 2);
}

static void receivePDU(int number, const uint8_t *pdu, size_t count) {
    static const uint8_t mtuResponse[] = {0x03, 247, 0};
    switch (pdu[0]) {
    case 0x01:
        fprintf(stderr, "crowd: refused %02x: %02x\n", pdu[1], pdu[4]);
        exit(1);
    case 0x02: return sendPDU(number, mtuResponse, sizeof mtuResponse);
    case 0x03: return discover(number, 1);
    case 0x09: return learn(number, pdu, count);
    case 0x13:
        centrals[number].isSubscribed = 1;
        if (++subscribedCount == centralCount) puts("crowded"), fflush(stdout);
        return;
    case 0x0B: case 0x1B: if (order) countOne(number);
    }
}

static void receiveData(const uint8_t *packet, size_t count) {
    int number = packet[1] - firstConnection;
    if (number < 0 || number >= connectedCount) return;
    Central *central = &centrals[number];
    central->completed++;
    if ((packet[2] >> 4 & 3) != 1) central->frameCount = 0;
    memcpy(central->frame + central->frameCount, packet + 5, count - 5);
    central->frameCount += count - 5;
    size_t whole = 4 + (size_t)little16(central->frame);
    if (central->frameCount < 4 || central->frameCount < whole) return;
    if (central->frame[2] == 4) receivePDU(number, central->frame + 4, central->frameCount - 4);
}

static void receiveCommand(const uint8_t *packet) {
    uint16_t opcode = little16(packet + 1);
    answer(opcode);
    if (opcode == 0x200A && packet[4]) connectNext();
}

static void receive(void) {
    ssize_t count = read(host, input + inputCount, sizeof input - inputCount);
    if (count <= 0) exit(0);
    inputCount += (size_t)count;
    size_t place = 0;
    while (inputCount - place >= 5 || (inputCount - place == 4 && input[place] == commandPacket)) {
        const uint8_t *packet = input + place;
        size_t length = packet[0] == commandPacket ? 4 + (size_t)packet[3]
                                                   : 5 + (size_t)little16(packet + 3);
        if (place + length > inputCount) break;
        if (packet[0] == commandPacket) receiveCommand(packet);
        else receiveData(packet, length);
        place += length;
    }
    memmove(input, input + place, inputCount - place);
    inputCount -= place;
    announceCompleted();
    flush();
}

// Commands

static void begin(const char *line) {
    order = sscanf(line, "read %ld", &wanted) == 1 ? 'r'
        : sscanf(line, "notify %ld %d", &wanted, &size) == 2 ? 'n' : 0;
    if (!order) exit(2);
    start = seconds();
    done = 0;
    for (int number = 0; number < centralCount; number++) {
        centrals[number].received = centrals[number].asked = 0;
        if (order == 'r') readValue(number);
        else grant(number, window);
    }
    flush();
}

// Ends a command once all requested packets have arrived, so that the next command starts without
// traffic.
static void finish(void) {
    static double end;
    if (done < wanted) return;
    if (end < start) end = seconds();
    long least = wanted, most = 0, missing = 0;
    for (int number = 0; number < centralCount; number++) {
        long received = centrals[number].received;
        if (received < least) least = received;
        if (received > most) most = received;
        missing += order == 'n' ? centrals[number].asked - received : 0;
    }
    if (order == 'n' ? missing > 0 : done < wanted + centralCount - 1) return;
    printf("done %.9f %ld %ld\n", end - start, least, most);
    fflush(stdout);
    order = 0;
}

static int listenAt(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (void *)&address, sizeof address) != 0 || listen(listener, 1) != 0) exit(1);
    return listener;
}

int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "usage: crowd PATH CENTRALS\n"), 2;
    centralCount = strtol(arguments[2], NULL, 10);
    if (centralCount < 1 || centralCount > centralLimit) return 2;
    int listener = listenAt(arguments[1]);
    puts("ready");
    fflush(stdout);
    host = accept(listener, NULL, NULL);
    struct pollfd waits[] = {{host, POLLIN, 0}, {0, POLLIN, 0}};
    char line[64];
    while (poll(waits, 2, -1) > 0) {
        if (waits[0].revents) receive();
        if (waits[1].revents) {
            if (!fgets(line, sizeof line, stdin)) return 0;
            begin(line);
        }
        if (order) finish();
    }
}

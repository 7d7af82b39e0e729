// SPDX-License-Identifier: Apache-2.0
//
// A peripheral at almost no cost, so that the measurement is that of the host at the other end.
//
//   peripheral PATH
//
// Prints its address, advertises, and serves one service on one link after the other: FFF1 is read
// and written, FFF2 notifies, and a write command to FFF3, `<count: 2><size: 2>` little-endian,
// requests that many more notifications of that size, which are sent as fast as the controller
// accepts them.
#include "controller.h"

#include <stdio.h>
#include <string.h>

enum {
    largestMTU = 247,
    advertisingInterval = 32,      // in 0.625 ms
    valueHandle = 3, notifyingHandle = 5, configurationHandle = 6, grantHandle = 8,
};

// The database, one attribute per line: its handle is its position, counted from 1.
typedef struct { uint16_t type; uint8_t count; uint8_t value[20]; } Attribute;
static const Attribute database[] = {
    {0x2800, 2, {0xF0, 0xFF}},
    {0x2803, 5, {0x0A, valueHandle, 0, 0xF1, 0xFF}},
    {0xFFF1, 20, "exactly twenty bytes"},
    {0x2803, 5, {0x10, notifyingHandle, 0, 0xF2, 0xFF}},
    {0xFFF2, 1, {0}},
    {0x2902, 2, {0, 0}},
    {0x2803, 5, {0x04, grantHandle, 0, 0xF3, 0xFF}},
    {0xFFF3, 1, {0}},
};
enum { lastHandle = sizeof database / sizeof *database };

static Controller controller;
static uint16_t connection;
static uint32_t granted, sent;
static uint16_t notificationSize;

static void advertise(void) {
    static const uint8_t on[] = {1};
    post(&controller, 0x200A, on, sizeof on);
}

static void prepareAdvertising(void) {
    uint8_t parameters[15] = {advertisingInterval, 0, advertisingInterval, 0};
    parameters[13] = 7;            // on all three channels
    uint8_t data[32] = {3 + 9, 2, 0x01, 0x06, 8, 0x09, 'L', 'a', 'n', 'y', 'a', 'r', 'd'};
    command(&controller, 0x2006, parameters, sizeof parameters);
    command(&controller, 0x2008, data, sizeof data);
}

static void reply(const uint8_t *bytes, size_t count) {
    sendPDU(&controller, connection, bytes, count);
}

static void refuse(const uint8_t *request, uint16_t handle, uint8_t code) {
    uint8_t response[] = {0x01, request[0], (uint8_t)handle, (uint8_t)(handle >> 8), code};
    reply(response, sizeof response);
}

// Read By Type and Read By Group Type: one entry in each response is enough here.
static void readByType(const uint8_t *request) {
    uint16_t first = little16(request + 1), last = little16(request + 3);
    uint16_t type = little16(request + 5);
    int isGroup = request[0] == 0x10;
    for (uint16_t handle = first; handle && handle <= last && handle <= lastHandle; handle++) {
        const Attribute *attribute = &database[handle - 1];
        if (attribute->type != type) continue;
        uint8_t response[32] = {request[0] + 1, 0, (uint8_t)handle, 0, lastHandle, 0};
        size_t header = isGroup ? 6 : 4;
        memcpy(response + header, attribute->value, attribute->count);
        response[1] = (uint8_t)(header - 2 + attribute->count);
        return reply(response, header + attribute->count);
    }
    refuse(request, first, 0x0A);
}

static void findByTypeValue(const uint8_t *request, size_t count) {
    const Attribute *service = &database[0];
    int isFound = little16(request + 1) <= 1 && little16(request + 5) == service->type
        && count == 9 && memcmp(request + 7, service->value, 2) == 0;
    static const uint8_t response[] = {0x07, 1, 0, lastHandle, 0};
    if (isFound) reply(response, sizeof response);
    else refuse(request, little16(request + 1), 0x0A);
}

static void findInformation(const uint8_t *request) {
    uint16_t first = little16(request + 1), last = little16(request + 3);
    uint8_t response[2 + 4 * lastHandle] = {0x05, 1};
    size_t count = 2;
    for (uint16_t handle = first; handle && handle <= last && handle <= lastHandle; handle++) {
        if (count + 4 > 23) break;
        uint16_t type = database[handle - 1].type;
        uint8_t entry[] = {(uint8_t)handle, 0, (uint8_t)type, (uint8_t)(type >> 8)};
        memcpy(response + count, entry, sizeof entry);
        count += sizeof entry;
    }
    if (count > 2) reply(response, count);
    else refuse(request, first, 0x0A);
}

static void readValue(const uint8_t *request) {
    uint16_t handle = little16(request + 1);
    if (handle < 1 || handle > lastHandle) return refuse(request, handle, 0x01);
    uint8_t response[1 + sizeof database->value] = {0x0B};
    memcpy(response + 1, database[handle - 1].value, database[handle - 1].count);
    reply(response, 1 + (size_t)database[handle - 1].count);
}

static void receive(const uint8_t *pdu, size_t count) {
    static const uint8_t mtuResponse[] = {0x03, largestMTU, 0}, writeResponse[] = {0x13};
    switch (pdu[0]) {
    case 0x02: return reply(mtuResponse, sizeof mtuResponse);
    case 0x04: return findInformation(pdu);
    case 0x06: return findByTypeValue(pdu, count);
    case 0x08: case 0x10: return readByType(pdu);
    case 0x0A: return readValue(pdu);
    case 0x12: return reply(writeResponse, sizeof writeResponse);
    case 0x52:
        if (little16(pdu + 1) != grantHandle || count < 7) return;
        granted += little16(pdu + 3);
        notificationSize = little16(pdu + 5);
        return;
    case 0x1E: return;
    default: return refuse(pdu, 0, 0x06);
    }
}

static void notify(void) {
    while (granted > 0 && !hasWaiting(&controller)) {
        uint8_t notification[3 + largestMTU] = {0x1B, notifyingHandle, 0};
        memcpy(notification + 3, &sent, sizeof sent);
        sendPDU(&controller, connection, notification, 3 + (size_t)notificationSize);
        granted--;
        sent++;
    }
}

static void handleEvent(const Arrival *event) {
    if (event->code == 0x05) {     // Disconnection Complete
        granted = sent = 0;
        advertise();
    } else if (event->code == 0x3E && event->bytes[0] == 0x01 && event->bytes[1] == 0) {
        connection = little16(event->bytes + 2);
    }
}

int main(int count, char **arguments) {
    if (count != 2) return fprintf(stderr, "usage: peripheral PATH\n"), 2;
    openController(&controller, arguments[1]);
    const uint8_t *address = command(&controller, 0x1009, NULL, 0);
    char text[18];
    for (int byte = 0; byte < 6; byte++) {
        sprintf(text + 3 * byte, byte < 5 ? "%02X:" : "%02X", address[5 - byte]);
    }
    prepareAdvertising();
    advertise();
    printf("ready %s\n", text);
    fflush(stdout);
    for (;;) {
        Arrival arrival = next(&controller);
        if (arrival.kind == isFrame) receive(arrival.bytes, arrival.count);
        else handleEvent(&arrival);
        notify();
    }
}

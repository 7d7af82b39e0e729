// SPDX-License-Identifier: Apache-2.0
//
// A connection to a controller: H4 over a Unix socket, one read and one write for each wake-up, and
// the flow control of a host (Core Specification, Vol 4, Part E, 4.1). central.c and
// peripheral.c use it.
#ifndef CONTROLLER_H
#define CONTROLLER_H

#include <stddef.h>
#include <stdint.h>

enum {
    inputLimit = 1 << 17,
    outputLimit = 1 << 20,
    attributeChannel = 4,          // the fixed channel of ATT: Vol 3, Part A, 2.1
};

typedef struct {
    int descriptor;
    uint8_t input[inputLimit];
    size_t inputStart, inputCount;
    uint8_t output[outputLimit];   // may be written at once
    size_t outputCount;
    uint8_t waiting[outputLimit];  // data packets that wait for free buffers
    size_t waitingStart, waitingCount;
    size_t packetLength;           // of the controller's buffers
    unsigned credits;              // buffers that are free
    uint8_t frame[1024];           // an L2CAP frame that is arriving
    size_t frameCount;
} Controller;

typedef struct {
    enum { isEvent, isFrame } kind;
    uint8_t code;                  // of the event
    uint16_t handle;               // of the frame's connection
    const uint8_t *bytes;          // the event's parameters, or an ATT PDU
    size_t count;
} Arrival;

// Connects, resets the controller and reads its buffer sizes. Ends the process if that fails.
void openController(Controller *controller, const char *path);

// Sends a command and waits for its response. Returns the parameters after the status.
const uint8_t *command(
    Controller *controller, uint16_t opcode, const void *parameters, size_t count);

// Appends a command to the output, which `next` writes.
void post(Controller *controller, uint16_t opcode, const void *parameters, size_t count);

// Queues an ATT PDU, split to the size of the controller's buffers. `next` writes it.
void sendPDU(Controller *controller, uint16_t handle, const uint8_t *bytes, size_t count);

// Whether data packets wait for free buffers of the controller.
int hasWaiting(const Controller *controller);

// The next event (including Number Of Completed Packets, which frees buffers) or frame. If nothing
// has arrived yet, writes pending data and sleeps.
Arrival next(Controller *controller);

static inline uint16_t little16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

#endif

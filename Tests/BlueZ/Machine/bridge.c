// SPDX-License-Identifier: Apache-2.0
//
// bridge INDEX PORT: gives the controller hciINDEX to the host at the other end of a virtio port.
//
// On the port, packets have the H4 format (Vol 4, Part A, 2). On the kernel's HCI user channel, one
// read or write is one packet. Each new host finds the controller as if it had just been plugged
// in: the bridge opens the channel when a host connects. When the host disconnects, the bridge
// resets the controller and returns it to the kernel.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    bluetooth_family = 31, // AF_BLUETOOTH
    hci_protocol = 1,      // BTPROTO_HCI
    user_channel = 1,      // HCI_CHANNEL_USER
    packet_limit = 1 << 16,
    pause_ms = 5,
};

struct sockaddr_hci {
    sa_family_t family;
    uint16_t device;
    uint16_t channel;
};

struct bridge {
    uint16_t index;
    int port;
    int edges; // reports changes of the port
    int controller; // -1 while there is no host
    uint8_t unread[2 * packet_limit];
    size_t unread_count;
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

// Pauses between attempts: the kernel does not report the end of a controller's set-up.
static void pause_shortly(void) { poll(NULL, 0, pause_ms); }

// The length of the packet at `bytes`, 0 if its header is incomplete, -1 if it is malformed.
static long packet_length(const uint8_t *bytes, size_t count)
{
    static const uint8_t header[] = {0, 4, 5, 4, 3, 5};
    if (count == 0)
        return 0;
    uint8_t kind = bytes[0];
    if (kind < 1 || kind > 5)
        return -1;
    if (count < header[kind])
        return 0;
    switch (kind) {
    case 2: return header[kind] + (bytes[3] | bytes[4] << 8);
    case 5: return header[kind] + ((bytes[3] | bytes[4] << 8) & 0x3FFF);
    default: return header[kind] + bytes[header[kind] - 1];
    }
}

// Opens the user channel. A controller is busy while the kernel sets it up.
static int open_controller(uint16_t index)
{
    struct sockaddr_hci address = {bluetooth_family, index, user_channel};
    for (;;) {
        int channel = socket(bluetooth_family, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, hci_protocol);
        if (channel < 0)
            fail("socket");
        if (bind(channel, (struct sockaddr *)&address, sizeof address) == 0)
            return channel;
        if (errno != EBUSY && errno != EUSERS && errno != ENODEV)
            fail("bind");
        close(channel);
        pause_shortly();
    }
}

// Returns the controller after the host has disconnected. The reset ends what the host started.
static void give_back(struct bridge *bridge)
{
    static const uint8_t reset[] = {1, 0x03, 0x0C, 0};
    if (write(bridge->controller, reset, sizeof reset) < 0)
        perror("reset");
    close(bridge->controller);
    bridge->controller = -1;
    bridge->unread_count = 0;
}

// Writes all bytes to the port. Returns false if the host has disconnected.
static bool send_to_host(struct bridge *bridge, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(bridge->port, bytes, count);
        if (written >= 0) {
            bytes += written;
            count -= written;
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return false;
        struct pollfd writable = {bridge->port, POLLOUT, 0};
        poll(&writable, 1, pause_ms);
        if (writable.revents & POLLHUP)
            return false;
    }
    return true;
}

// Writes one packet to the controller. Tries again while the kernel cannot queue it.
static void pass_to_controller(struct bridge *bridge, const uint8_t *packet, size_t length)
{
    while (write(bridge->controller, packet, length) < 0) {
        if (errno != EAGAIN && errno != EINTR)
            fail("write to the controller");
        struct pollfd writable = {bridge->controller, POLLOUT, 0};
        poll(&writable, 1, pause_ms);
        if (writable.revents & (POLLHUP | POLLERR))
            fail("the controller is gone");
    }
}

// Gives the controller each whole packet that the host has sent.
static void send_to_controller(struct bridge *bridge)
{
    size_t start = 0;
    for (;;) {
        size_t rest = bridge->unread_count - start;
        long length = packet_length(bridge->unread + start, rest);
        if (length < 0) {
            fprintf(stderr, "no packet begins with %02x\n", bridge->unread[start]);
            start++;
            continue;
        }
        if (length == 0 || (size_t)length > rest)
            break;
        pass_to_controller(bridge, bridge->unread + start, length);
        start += length;
    }
    bridge->unread_count -= start;
    memmove(bridge->unread, bridge->unread + start, bridge->unread_count);
}

static bool host_is_there(struct bridge *bridge)
{
    struct pollfd port = {bridge->port, POLLOUT, 0};
    return poll(&port, 1, 0) >= 0 && !(port.revents & POLLHUP);
}

// Waits for a host. While there is none, the port always reports a hang-up to a level-triggered
// poll, so the bridge waits for an edge, which reports the change.
static void wait_for_host(struct bridge *bridge)
{
    struct epoll_event event;
    while (!host_is_there(bridge))
        if (epoll_wait(bridge->edges, &event, 1, -1) < 0 && errno != EINTR)
            fail("epoll_wait");
}

static void watch_edges(struct bridge *bridge)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET};
    bridge->edges = epoll_create1(EPOLL_CLOEXEC);
    if (bridge->edges < 0 || epoll_ctl(bridge->edges, EPOLL_CTL_ADD, bridge->port, &event) < 0)
        fail("epoll");
}

// Carries packets until the host disconnects.
static void carry(struct bridge *bridge)
{
    static uint8_t packet[packet_limit];
    for (;;) {
        struct pollfd ends[] = {{bridge->port, POLLIN, 0}, {bridge->controller, POLLIN, 0}};
        if (poll(ends, 2, -1) < 0 && errno != EINTR)
            fail("poll");
        if (ends[1].revents & (POLLIN | POLLHUP | POLLERR)) {
            ssize_t count = read(bridge->controller, packet, sizeof packet);
            if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
                fail("the controller is gone");
            if (count > 0 && !send_to_host(bridge, packet, count))
                return;
        }
        if (ends[0].revents & POLLIN) {
            size_t free_size = sizeof bridge->unread - bridge->unread_count;
            ssize_t count = read(bridge->port, bridge->unread + bridge->unread_count, free_size);
            if (count == 0)
                return;
            if (count > 0)
                bridge->unread_count += count;
            send_to_controller(bridge);
        }
        if (ends[0].revents & POLLHUP)
            return;
    }
}

int main(int count, char **arguments)
{
    static struct bridge bridge = {.controller = -1};
    if (count != 3)
        return fprintf(stderr, "usage: bridge INDEX PORT\n"), 2;
    bridge.index = atoi(arguments[1]);
    bridge.port = open(arguments[2], O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (bridge.port < 0)
        fail(arguments[2]);
    watch_edges(&bridge);
    for (;;) {
        wait_for_host(&bridge);
        bridge.controller = open_controller(bridge.index);
        carry(&bridge);
        give_back(&bridge);
    }
}

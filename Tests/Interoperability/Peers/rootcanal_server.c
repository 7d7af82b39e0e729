// SPDX-License-Identifier: Apache-2.0
//
// Serves RootCanal's controllers over H4, without the emulator's 5 ms tick on the data path.
//
//   rootcanal_server [--recent] LIBRARY ENDPOINT...
//
// An endpoint is tcp:PORT or link:PORT (on 127.0.0.1), or unix:PATH. With --recent, the library is that of
// release 1.12 or later, whose functions have more arguments.
//
// Prints `ready {"adapters":[...]}`. Each connection gets a new controller with its own
// address (DA:1E:33:22:11:01 in the first place, and so on). Ends when standard input closes.
//
// A connection to a link endpoint is another radio, as at the Link Layer port of RootCanal's own
// program: each LE packet of the controllers passes to the radio, and each packet of the radio
// passes to the controllers. Four bytes before a packet give its length. RootCanal's program itself
// ends with a segmentation fault when it has received one packet there (releases 1.5 to 1.10).
//
// The library is `librootcanal_ffi.so` of the PyPI wheel rootcanal, 1.10.0 or 1.13.0. It works only
// inside our calls, on this thread, so a variable records which controller's callback is running.
// RootCanal ends the process on commands that it cannot parse, or that it lists and does not
// implement: abort() is caught, that controller is abandoned and its host disconnected, and the
// other controllers continue.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    lowEnergy = 0,                 // the PHY of LE packets
    plugLimit = 16,
    linkLimit = 16,                // of one controller
    listenerLimit = 8,
    inputLimit = 65536 + 8,        // the longest H4 packet: type, handle, length, 65,535 bytes
    outputLimit = 4 << 20,         // a host this far behind counts as dead
    outputHighWater = 256 << 10,   // with a host this far behind, no other is read from
    unreadSecondsLimit = 5,        // and such a host that reads nothing for this long is dead
    tickNanoseconds = 5000000,     // for timed procedures: advertising, supervision
};

typedef struct {
    int descriptor;                // -1: free place
    void *controller;
    uint8_t input[inputLimit];
    size_t inputCount;
    uint8_t *output;
    size_t outputStart, outputCount, outputCapacity;
    time_t lastTaken;              // when the host last read anything
    uint16_t links[linkLimit];     // the handles of the links that the host knows
    int linkCount;
    bool failed;                   // to be disconnected outside of the library's calls
    bool isRadio;                  // a connection to a link endpoint, which has no controller
} Plug;

// A link-layer PDU on its way to every other controller.
typedef struct Frame {
    struct Frame *next;
    int sender, phy;
    size_t count;
    uint8_t bytes[];
} Frame;

static Plug plugs[plugLimit];
static Frame *firstFrame, **lastFrame = &firstFrame;
static int listeners[listenerLimit], listenerCount;
static bool listensForRadios[listenerLimit];

static bool isRecent;

static struct {
    union {
        void *(*old)(const uint8_t *address, void (*hci)(int, const uint8_t *, size_t),
                     void (*ll)(const uint8_t *, size_t, int, int));
        void *(*recent)(const uint8_t *address, void (*hci)(void *, int, const uint8_t *, size_t),
                        void (*ll)(void *, const uint8_t *, size_t, int, int),
                        void (*invalidPacket)(void *, int, const char *, const uint8_t *, size_t),
                        unsigned (*ranging)(void *, void *), void *cookie,
                        const uint8_t *properties, size_t propertyCount);
    } new;
    void (*delete)(void *);
    void (*receiveHCI)(void *, int, const uint8_t *, size_t);
    void (*receiveLL)(void *, const uint8_t *, size_t, int, int);
    void (*tick)(void *);
} library;

// MARK: Calls into the library

static int current = -1;           // the controller that is running, or -1
static sigjmp_buf escape;

static void aborted(int signal) {
    if (current >= 0) siglongjmp(escape, 1);
    _exit(128 + signal);
}

// One call into the library, for the controller of plug `index`.
typedef struct {
    enum { callPlugIn, callUnplug, callReceiveHCI, callReceiveLL, callTick } what;
    int index;
    const uint8_t *bytes;
    size_t count;
    int kind, strength;            // the H4 packet type or the PHY; dBm
} Call;

static void sendToHost(int indicator, const uint8_t *bytes, size_t count);
static void sendToAir(const uint8_t *bytes, size_t count, int phy, int power);

static void recentSendToHost(void *cookie, int indicator, const uint8_t *bytes, size_t count) {
    (void)cookie;
    sendToHost(indicator, bytes, count);
}

static void recentSendToAir(void *cookie, const uint8_t *bytes, size_t count, int phy, int power) {
    (void)cookie;
    sendToAir(bytes, count, phy, power);
}

static void *newController(const uint8_t *address) {
    if (!isRecent) return library.new.old(address, sendToHost, sendToAir);
    return library.new.recent(address, recentSendToHost, recentSendToAir, NULL, NULL, NULL, NULL, 0);
}

static void perform(const Call *call) {
    void **controller = &plugs[call->index].controller;
    switch (call->what) {
    case callPlugIn: *controller = newController(call->bytes); break;
    case callUnplug: library.delete(*controller); *controller = NULL; break;
    case callReceiveHCI: library.receiveHCI(*controller, call->kind, call->bytes, call->count); break;
    case callReceiveLL:
        library.receiveLL(*controller, call->bytes, call->count, call->kind, call->strength);
        break;
    case callTick: library.tick(*controller); break;
    }
}

// Performs a call that may abort. If it does, the controller is abandoned (its memory leaks, which
// is acceptable in a test peer) and its plug is marked for disconnection. This is a separate
// function, never inlined, so that no caller's variables live across the jump.
__attribute__((noinline)) static void performCall(Call call) {
    current = call.index;
    if (sigsetjmp(escape, 1) == 0) {
        perform(&call);
    } else {
        fprintf(stderr, "rootcanal_server: controller %d aborted\n", current + 1);
        plugs[current].controller = NULL;
        plugs[current].failed = true;
    }
    current = -1;
}

// Tracks the links that a controller reports to its host (Vol 4, Part E, 7.7).
static void noteEvent(Plug *plug, const uint8_t *bytes, size_t count) {
    bool isLinkMade = count >= 6 && bytes[0] == 0x3E && (bytes[2] == 0x01 || bytes[2] == 0x0A);
    if (isLinkMade && bytes[3] == 0 && plug->linkCount < linkLimit) {
        plug->links[plug->linkCount++] = (uint16_t)(bytes[4] | bytes[5] << 8);
    }
    if (count >= 5 && bytes[0] == 0x05) {
        uint16_t handle = (uint16_t)(bytes[3] | bytes[4] << 8);
        for (int i = plug->linkCount - 1; i >= 0; i--) {
            if (plug->links[i] == handle) plug->links[i] = plug->links[--plug->linkCount];
        }
    }
}

static void append(Plug *plug, const uint8_t *bytes, size_t count) {
    if (plug->outputCount + count > outputLimit) {
        plug->failed = true;
        return;
    }
    if (plug->outputStart + plug->outputCount + count > plug->outputCapacity) {
        memmove(plug->output, plug->output + plug->outputStart, plug->outputCount);
        plug->outputStart = 0;
        while (plug->outputCount + count > plug->outputCapacity) {
            plug->outputCapacity = plug->outputCapacity ? 2 * plug->outputCapacity : 65536;
        }
        plug->output = realloc(plug->output, plug->outputCapacity);
    }
    memcpy(plug->output + plug->outputStart + plug->outputCount, bytes, count);
    plug->outputCount += count;
}

static void sendToHost(int indicator, const uint8_t *bytes, size_t count) {
    Plug *plug = &plugs[current];
    if (indicator == 4) noteEvent(plug, bytes, count);
    uint8_t type = (uint8_t)indicator;
    append(plug, &type, 1);
    append(plug, bytes, count);
}

static void sendToRadio(Plug *plug, const uint8_t *bytes, size_t count) {
    uint8_t length[] = {(uint8_t)count, (uint8_t)(count >> 8), (uint8_t)(count >> 16), 0};
    append(plug, length, sizeof length);
    append(plug, bytes, count);
}

static void addFrame(int sender, const uint8_t *bytes, size_t count, int phy) {
    Frame *frame = malloc(sizeof *frame + count);
    *frame = (Frame){.sender = sender, .phy = phy, .count = count};
    memcpy(frame->bytes, bytes, count);
    *lastFrame = frame;
    lastFrame = &frame->next;
}

static void sendToAir(const uint8_t *bytes, size_t count, int phy, int power) {
    (void)power;
    addFrame(current, bytes, count, phy);
}

// Delivers the controllers' PDUs to each other, until there are none. The signal
// strength decreases with the distance between the controllers' numbers.
static void deliverFrames(void) {
    while (firstFrame) {
        Frame *frame = firstFrame;
        firstFrame = frame->next;
        if (!firstFrame) lastFrame = &firstFrame;
        for (int i = 0; i < plugLimit; i++) {
            if (i == frame->sender) continue;
            if (plugs[i].isRadio && frame->phy == lowEnergy) {
                sendToRadio(&plugs[i], frame->bytes, frame->count);
            }
            if (!plugs[i].controller) continue;
            int strength = -40 - 3 * abs(i - frame->sender);
            performCall((Call){callReceiveLL, i, frame->bytes, frame->count, frame->phy, strength});
        }
        free(frame);
    }
}

static void tickAll(void) {
    for (int i = 0; i < plugLimit; i++) {
        if (plugs[i].controller) performCall((Call){.what = callTick, .index = i});
    }
    deliverFrames();
}

// MARK: Plugs

static void plugIn(int descriptor, bool isRadio) {
    int i = 0;
    while (i < plugLimit && plugs[i].descriptor >= 0) i++;
    if (i == plugLimit) {
        fprintf(stderr, "rootcanal_server: all %d places are taken\n", plugLimit);
        close(descriptor);
        return;
    }
    int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // no effect on Unix sockets
    uint8_t address[6] = {(uint8_t)(i + 1), 0x11, 0x22, 0x33, 0x1E, 0xDA};
    plugs[i].descriptor = descriptor;
    plugs[i].inputCount = plugs[i].outputCount = plugs[i].outputStart = 0;
    plugs[i].linkCount = 0;
    plugs[i].failed = false;
    plugs[i].isRadio = isRadio;
    if (isRadio) return;
    performCall((Call){callPlugIn, i, address, sizeof address, 0, 0});
}

// Ends the links of a controller that is about to be deleted. RootCanal has no supervision timeout,
// so without this the peers would stay connected forever.
static void endLinks(int i) {
    while (plugs[i].controller && plugs[i].linkCount > 0) {
        uint16_t handle = plugs[i].links[--plugs[i].linkCount];
        // Disconnect, because of power off (Vol 4, Part E, 7.1.6; Vol 1, Part F, 2.17).
        uint8_t command[] = {0x06, 0x04, 3, (uint8_t)handle, (uint8_t)(handle >> 8), 0x15};
        performCall((Call){callReceiveHCI, i, command, sizeof command, 1, 0});
    }
    if (plugs[i].controller) performCall((Call){.what = callTick, .index = i});
    deliverFrames();
}

static void unplug(int i) {
    endLinks(i);
    if (plugs[i].controller) performCall((Call){.what = callUnplug, .index = i});
    close(plugs[i].descriptor);
    plugs[i].descriptor = -1;
    plugs[i].isRadio = false;
    plugs[i].outputCount = 0;
}

static void unplugFailed(void) {
    for (int i = 0; i < plugLimit; i++) {
        if (plugs[i].descriptor >= 0 && plugs[i].failed) unplug(i);
    }
}

// The size of the H4 packet that starts at `bytes`: 0 if more bytes are needed, -1 if no host
// sends such a packet (Vol 4, Part A, 2).
static long packetSize(const uint8_t *bytes, size_t count) {
    switch (bytes[0]) {
    case 1: case 3: return count < 4 ? 0 : 4 + bytes[3];
    case 2: return count < 5 ? 0 : 5 + (bytes[3] | bytes[4] << 8);
    case 5: return count < 5 ? 0 : 5 + ((bytes[3] | bytes[4] << 8) & 0x3FFF);
    default: return -1;
    }
}

static void receivePackets(int i) {
    Plug *plug = &plugs[i];
    size_t start = 0;
    while (start < plug->inputCount && plug->controller) {
        const uint8_t *packet = plug->input + start;
        long size = packetSize(packet, plug->inputCount - start);
        if (size < 0) {
            fprintf(stderr, "rootcanal_server: no H4 packet starts with %02x\n", packet[0]);
            plug->failed = true;
            return;
        }
        if (size == 0 || (size_t)size > plug->inputCount - start) break;
        performCall((Call){callReceiveHCI, i, packet + 1, (size_t)size - 1, packet[0], 0});
        deliverFrames();
        start += (size_t)size;
    }
    memmove(plug->input, plug->input + start, plug->inputCount - start);
    plug->inputCount -= start;
}

// Passes the whole packets of another radio to the controllers.
static void receiveFrames(int i) {
    Plug *plug = &plugs[i];
    size_t start = 0;
    while (plug->inputCount - start >= 4) {
        const uint8_t *length = plug->input + start;
        size_t size = length[0] | length[1] << 8 | length[2] << 16 | (size_t)length[3] << 24;
        if (size > inputLimit - 4) {
            plug->failed = true;
            return;
        }
        if (4 + size > plug->inputCount - start) break;
        addFrame(i, length + 4, size, lowEnergy);
        start += 4 + size;
    }
    memmove(plug->input, plug->input + start, plug->inputCount - start);
    plug->inputCount -= start;
    deliverFrames();
}

static void readHost(int i) {
    Plug *plug = &plugs[i];
    ssize_t count = recv(plug->descriptor, plug->input + plug->inputCount,
                         inputLimit - plug->inputCount, MSG_DONTWAIT);
    if (count > 0) {
        plug->inputCount += (size_t)count;
        if (plug->isRadio) receiveFrames(i);
        else receivePackets(i);
        tickAll();
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        plug->failed = true;
    }
}

static void writeHost(int i, time_t now) {
    Plug *plug = &plugs[i];
    if (plug->outputCount == 0) {
        plug->lastTaken = now;
        return;
    }
    ssize_t count = send(plug->descriptor, plug->output + plug->outputStart, plug->outputCount,
                         MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) {
        plug->outputStart += (size_t)count;
        plug->outputCount -= (size_t)count;
        plug->lastTaken = now;
        if (plug->outputCount == 0) plug->outputStart = 0;
    } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
        plug->failed = true;
    }
    bool stuck = plug->outputCount > outputHighWater;
    if (stuck && now - plug->lastTaken > unreadSecondsLimit) plug->failed = true;
}

// MARK: Endpoints

static void fail(const char *what) {
    fprintf(stderr, "rootcanal_server: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int listenTCP(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(descriptor, (void *)&address, sizeof address)) fail("cannot bind to the port");
    socklen_t size = sizeof address;
    getsockname(descriptor, (void *)&address, &size);
    printf("\"tcp:127.0.0.1:%d\"", ntohs(address.sin_port));
    return descriptor;
}

static int listenUnix(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        fail(path);
    }
    strcpy(address.sun_path, path);
    unlink(path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(descriptor, (void *)&address, sizeof address)) fail(path);
    printf("\"unix:%s\"", path);
    return descriptor;
}

static void openEndpoint(const char *name) {
    if (listenerCount == listenerLimit) exit(fprintf(stderr, "too many endpoints\n") != 0);
    if (listenerCount) printf(",");
    int descriptor;
    bool isRadio = !strncmp(name, "link:", 5);
    if (isRadio || !strncmp(name, "tcp:", 4)) {
        const char *port = strrchr(name, ':') + 1;
        descriptor = listenTCP(atoi(port));
    } else if (!strncmp(name, "unix:", 5)) {
        descriptor = listenUnix(name + 5);
    } else {
        exit(fprintf(stderr, "not an endpoint: %s; use tcp:PORT, link:PORT or unix:PATH\n", name) != 0);
    }
    if (listen(descriptor, plugLimit)) fail("listen");
    listensForRadios[listenerCount] = isRadio;
    listeners[listenerCount++] = descriptor;
}

static void *symbol(void *handle, const char *name) {
    void *found = dlsym(handle, name);
    if (!found) exit(fprintf(stderr, "rootcanal_server: %s\n", dlerror()) != 0);
    return found;
}

static void openLibrary(const char *path) {
    void *handle = dlopen(path, RTLD_NOW);
    if (!handle) exit(fprintf(stderr, "rootcanal_server: %s\n", dlerror()) != 0);
    library.new.old = symbol(handle, "ffi_controller_new");
    library.delete = symbol(handle, "ffi_controller_delete");
    library.receiveHCI = symbol(handle, "ffi_controller_receive_hci");
    library.receiveLL = symbol(handle, "ffi_controller_receive_ll");
    library.tick = symbol(handle, "ffi_controller_tick");
}

// MARK: The loop

static int startTicking(void) {
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct timespec period = {.tv_nsec = tickNanoseconds};
    struct itimerspec setting = {.it_interval = period, .it_value = period};
    timerfd_settime(timer, 0, &setting, NULL);
    return timer;
}

static time_t seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

// Whether plug `i` may be read from: no other host is behind with reading.
static bool mayRead(int i) {
    for (int j = 0; j < plugLimit; j++) {
        if (j != i && plugs[j].descriptor >= 0 && plugs[j].outputCount > outputHighWater)
            return false;
    }
    return true;
}

static bool stdinClosed(const struct pollfd *watched) {
    char ignored[256];
    return watched->revents && read(watched->fd, ignored, sizeof ignored) <= 0;
}

static void acceptHosts(const struct pollfd *watched) {
    for (int i = 0; i < listenerCount; i++) {
        if (!(watched[i].revents & POLLIN)) continue;
        int descriptor = accept4(listeners[i], NULL, NULL, SOCK_CLOEXEC);
        if (descriptor >= 0) plugIn(descriptor, listensForRadios[i]);
    }
}

static void serve(void) {
    enum { input, timer, listening, hosts = listening + listenerLimit };
    struct pollfd watched[hosts + plugLimit];
    int ticks = startTicking();
    for (;;) {
        watched[input] = (struct pollfd){0, POLLIN, 0};
        watched[timer] = (struct pollfd){ticks, POLLIN, 0};
        for (int i = 0; i < listenerLimit; i++) {
            int descriptor = i < listenerCount ? listeners[i] : -1;
            watched[listening + i] = (struct pollfd){descriptor, POLLIN, 0};
        }
        for (int i = 0; i < plugLimit; i++) {
            short events = (mayRead(i) ? POLLIN : 0) | (plugs[i].outputCount ? POLLOUT : 0);
            watched[hosts + i] = (struct pollfd){plugs[i].descriptor, events, 0};
        }
        if (poll(watched, hosts + plugLimit, -1) < 0) continue;
        if (stdinClosed(&watched[input])) return;
        uint64_t expirations;
        if (watched[timer].revents && read(ticks, &expirations, sizeof expirations) > 0) tickAll();
        for (int i = 0; i < plugLimit; i++) {
            if (watched[hosts + i].fd >= 0 && watched[hosts + i].revents & ~POLLOUT) readHost(i);
        }
        time_t now = seconds();
        for (int i = 0; i < plugLimit; i++) {
            if (plugs[i].descriptor >= 0) writeHost(i, now);
        }
        unplugFailed();
        acceptHosts(&watched[listening]);
    }
}

// The library writes a line about every packet to standard output, which our parent does not read
// after the ready line, so a full pipe would block us. LANYARD_PEER_LOG keeps the lines.
static void redirectLibraryLog(void) {
    int target = getenv("LANYARD_PEER_LOG") ? dup(STDERR_FILENO) : open("/dev/null", O_WRONLY);
    if (target < 0 || dup2(target, STDOUT_FILENO) < 0) fail("standard output");
    close(target);
}

int main(int count, char **arguments) {
    isRecent = count > 1 && !strcmp(arguments[1], "--recent");
    if (isRecent) arguments += 1, count -= 1;
    if (count < 3) {
        const char *endpoint = "tcp:PORT|link:PORT|unix:PATH";
        return fprintf(stderr, "usage: rootcanal_server [--recent] LIBRARY %s...\n", endpoint) != 0;
    }
    openLibrary(arguments[1]);
    for (int i = 0; i < plugLimit; i++) plugs[i].descriptor = -1;
    struct sigaction action = {.sa_handler = aborted, .sa_flags = SA_NODEFER};
    sigaction(SIGABRT, &action, NULL);
    printf("ready {\"adapters\":[");
    for (int i = 2; i < count; i++) openEndpoint(arguments[i]);
    printf("]}\n");
    fflush(stdout);
    redirectLibraryLog();
    serve();
    return 0;
}

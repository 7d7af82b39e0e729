// SPDX-License-Identifier: Apache-2.0
//
// Clients of an MQTT broker, with Mosquitto's library, which lanyard-fleet uses as well.
//
//   broker_load PORT AUTHORITY publish TOPIC COUNT SIZE     COUNT messages with QoS 1
//   broker_load PORT AUTHORITY retain TOPIC COUNT SIZE      the same, each retained on a topic of its own
//   broker_load PORT AUTHORITY subscribe TOPIC COUNT        until COUNT messages have arrived
//   broker_load PORT AUTHORITY idle COUNT                   COUNT connections, which do nothing
//
// AUTHORITY is the file of the certificate authority, or `-` for no TLS. Prints `ready`, and waits for a
// line or the end of standard input. After a line, all but `idle` begin, and print `done SECONDS`.
#include <mosquitto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { window = 16, keepAlive = 600, waitMilliseconds = 100, topicLength = 256, sizeLimit = 1 << 16 };

static long confirmed, received;
static int isConnected;

static void fail(const char *what, int code) {
    fprintf(stderr, "broker_load: %s: %s\n", what, mosquitto_strerror(code));
    exit(1);
}

static void connected(struct mosquitto *client, void *context, int code) {
    (void)client, (void)context;
    if (code) fail("connect", code);
    isConnected = 1;
}

static void published(struct mosquitto *client, void *context, int id) {
    (void)client, (void)context, (void)id;
    confirmed++;
}

static void subscribed(struct mosquitto *client, void *context, int id, int count, const int *granted) {
    (void)client, (void)context, (void)id, (void)count, (void)granted;
    confirmed++;
}

static void arrived(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client, (void)context, (void)message;
    received++;
}

static void turn(struct mosquitto *client) {
    int code = mosquitto_loop(client, waitMilliseconds, 1);
    if (code) fail("loop", code);
}

static struct mosquitto *open1(int port, const char *authority) {
    struct mosquitto *client = mosquitto_new(NULL, true, NULL);
    if (!client) fail("new", MOSQ_ERR_NOMEM);
    mosquitto_connect_callback_set(client, connected);
    mosquitto_publish_callback_set(client, published);
    mosquitto_subscribe_callback_set(client, subscribed);
    mosquitto_message_callback_set(client, arrived);
    mosquitto_max_inflight_messages_set(client, window);
    if (strcmp(authority, "-") != 0) {
        int code = mosquitto_tls_set(client, authority, NULL, NULL, NULL, NULL);
        if (code) fail("TLS", code);
    }
    int code = mosquitto_connect(client, "localhost", port, keepAlive);
    if (code) fail("connect", code);
    for (isConnected = 0; !isConnected;) turn(client);
    return client;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void awaitStart(void) {
    char line[16];
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) exit(0);
}

static void publish(struct mosquitto *client, char **arguments, int isRetained) {
    static char payload[sizeLimit];
    long count = strtol(arguments[1], NULL, 10), size = strtol(arguments[2], NULL, 10);
    if (size < 0 || size > sizeLimit) fail("size", MOSQ_ERR_PAYLOAD_SIZE);
    memset(payload, '7', sizeof payload);
    awaitStart();
    double start = now();
    for (long sent = 0; confirmed < count;) {
        while (sent < count && sent - confirmed < window) {
            char topic[topicLength];
            snprintf(topic, sizeof topic, isRetained ? "%s/%ld" : "%s", arguments[0], sent);
            int code = mosquitto_publish(client, NULL, topic, (int)size, payload, 1, isRetained);
            if (code) fail("publish", code);
            sent++;
        }
        turn(client);
    }
    printf("done %f\n", now() - start);
}

static void subscribe(struct mosquitto *client, char **arguments) {
    long count = strtol(arguments[1], NULL, 10);
    int code = mosquitto_subscribe(client, NULL, arguments[0], 1);
    if (code) fail("subscribe", code);
    while (!confirmed) turn(client);
    awaitStart();
    double start = now();
    while (received < count) turn(client);
    printf("done %f\n", now() - start);
}

int main(int count, char **arguments) {
    if (count < 5) return fprintf(stderr, "usage: broker_load PORT AUTHORITY WORK ARGUMENT...\n"), 2;
    int port = atoi(arguments[1]);
    const char *authority = arguments[2], *work = arguments[3];
    mosquitto_lib_init();
    if (strcmp(work, "idle") == 0) {
        for (long left = strtol(arguments[4], NULL, 10); left > 0; left--) open1(port, authority);
        awaitStart();
        return 0;
    }
    struct mosquitto *client = open1(port, authority);
    if (strcmp(work, "subscribe") == 0 && count == 6) subscribe(client, arguments + 4);
    else if (strcmp(work, "publish") == 0 && count == 7) publish(client, arguments + 4, 0);
    else if (strcmp(work, "retain") == 0 && count == 7) publish(client, arguments + 4, 1);
    else return fprintf(stderr, "broker_load: unknown work\n"), 2;
    fflush(stdout);
    mosquitto_disconnect(client);
    return 0;
}

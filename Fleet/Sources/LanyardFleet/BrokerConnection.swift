// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Foundation
import Synchronization

enum BrokerEvent: Sendable {
    case connected
    /// The connection was lost, or an attempt failed, with the reason.
    case disconnected(String)
    /// The broker accepted a message, or refused it with a reason.
    case acknowledged(Int32, refusal: String?)
    /// The broker refused a subscription, with the reason.
    case subscriptionRefused(String)
    case received(ReceivedMessage)
}

/// A connection to a broker by libmosquitto, which is made again after a loss.
///
/// The library's functions may be called on any thread. Events are reported on the connection's own
/// thread, one after the other.
final class BrokerConnection: Sendable {
    /// The maximum size of a message from the broker in bytes. A broker with MQTT 5 does not
    /// send larger ones.
    static let packetLimit: UInt32 = 64 << 10
    /// The time in seconds for which a broker with MQTT 5 keeps the session and its waiting
    /// commands after the connection ends.
    static let sessionExpiry: UInt32 = 3_600
    /// The time in seconds between messages that keep the connection alive.
    static let keepAlive: Int32 = 15
    /// The longest time in seconds between two attempts to connect.
    static let retryLimit = 8.0
    /// The longest time in seconds for which `stop()` waits.
    static let stopLimit = 2.0

    // libmosquitto protects its object by locks of its own after `mosquitto_threaded_set`.
    private nonisolated(unsafe) let client: OpaquePointer
    private let options: BrokerOptions
    private let report: @Sendable (BrokerEvent) -> Void
    private let isStopped = Mutex(false)
    /// The broker's reason for the end of the present connection; `nil` if it gave none.
    private let brokerReason = Mutex<String?>(nil)
    private let wakeUp = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Prepares a connection.
    ///
    /// - Throws: `BrokerError` if the library refuses the client's name or an option, for example a
    ///   missing file.
    init(_ options: BrokerOptions, report: @escaping @Sendable (BrokerEvent) -> Void) throws {
        mosquitto_lib_init()
        // The session is not a clean one, so that the broker keeps commands while there is no
        // connection.
        guard let client = mosquitto_new(options.client, false, nil) else {
            throw BrokerError("Cannot make a client with the name '\(options.client)'.")
        }
        (self.client, self.options, self.report) = (client, options, report)
        mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        try configure()
        setCallbacks()
    }

    deinit { mosquitto_destroy(client) }

    private func configure() throws {
        let version = options.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        mosquitto_threaded_set(client, true)
        try check(mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version), "version")
        try check(mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1), "option")
        try check(mosquitto_max_inflight_messages_set(client, 0), "option")
        let (topic, payload) = options.will
        let result = mosquitto_will_set(
            client,
            topic,
            Int32(payload.utf8.count),
            payload,
            1,
            true
        )
        try check(result, "last will")
        if let user = options.user {
            try check(mosquitto_username_pw_set(client, user, options.password), "user")
        }
        if let authority = options.authority {
            let result = mosquitto_tls_set(
                client,
                authority,
                nil,
                options.certificate,
                options.key,
                nil
            )
            try check(result, "certificates or the key")
            try check(mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil), "version of TLS")
        }
    }

    private func check(_ result: Int32, _ option: String) throws {
        guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw BrokerError("Cannot use the \(option): \(Self.text(result)).")
    }

    static func text(_ result: Int32) -> String {
        if result == MOSQ_ERR_ERRNO.rawValue { return String(cString: strerror(errno)) }
        let text = String(cString: mosquitto_strerror(result))
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    // MARK: The connection

    /// Begins to connect.
    func start() {
        let thread = Thread { [self] in
            run()
            ended.signal()
        }
        thread.name = "broker"
        thread.start()
    }

    /// Disconnects as MQTT requires. Waits until the thread has ended, for `stopLimit` at most.
    ///
    /// The thread does not end in time if the broker's machine does not answer a connection
    /// attempt: the library's call of `connect` then blocks until the system's own time limit.
    ///
    /// - Returns: Whether the thread has ended.
    @discardableResult
    func stop() -> Bool {
        isStopped.withLock { $0 = true }
        mosquitto_disconnect(client)
        wakeUp.signal()
        return ended.wait(timeout: .now() + Self.stopLimit) == .success
    }

    private func run() {
        var delay = 0.5
        while !isStopped.withLock({ $0 }) {
            var result = connect()
            // `stop()` may have disconnected before there was a connection.
            if isStopped.withLock({ $0 }) { mosquitto_disconnect(client) }
            let start = Date()
            while result == MOSQ_ERR_SUCCESS.rawValue {
                result = mosquitto_loop(client, 1_000, 1)
            }
            let reason = brokerReason.withLock { reason in
                defer { reason = nil }
                return reason
            }
            report(.disconnected(reason ?? Self.text(result)))
            delay = Date().timeIntervalSince(start) > 10 ? 0.5 : min(delay * 2, Self.retryLimit)
            if !isStopped.withLock({ $0 }) { _ = wakeUp.wait(timeout: .now() + delay) }
        }
    }

    private func connect() -> Int32 {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if options.version == .v5 {
            mosquitto_property_add_int32(
                &properties,
                Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue),
                Self.sessionExpiry
            )
            mosquitto_property_add_int32(
                &properties,
                Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue),
                Self.packetLimit
            )
        }
        return mosquitto_connect_bind_v5(
            client,
            options.host,
            Int32(options.port),
            Self.keepAlive,
            nil,
            properties
        )
    }

    // MARK: Messages

    func subscribe(_ topics: [String]) {
        for topic in topics { mosquitto_subscribe(client, nil, topic, 1) }
    }

    /// Publishes a message.
    ///
    /// - Returns: The identifier that the acknowledgment has; `nil` if the library refuses the
    ///   message.
    func publish(_ message: FleetMessage) -> Int32? {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if options.version == .v5, let data = message.correlation {
            let identifier = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
            let length = UInt16(clamping: data.count)
            mosquitto_property_add_binary(&properties, identifier, data, length)
        }
        var identifier: Int32 = 0
        let result = mosquitto_publish_v5(
            client,
            &identifier,
            message.topic,
            Int32(message.payload.utf8.count),
            message.payload,
            1,
            message.isRetained,
            properties
        )
        // Without a connection, the library keeps the message until there is one.
        let isTaken = result == MOSQ_ERR_SUCCESS.rawValue || result == MOSQ_ERR_NO_CONN.rawValue
        return isTaken ? identifier : nil
    }
}

/// Returns whether a reason code is a failure: one from 0x80 on (MQTT 5, 2.4).
private func isRefusal(_ code: Int32) -> Bool { code >= 0x80 }

struct BrokerError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

// MARK: The library's callbacks

extension BrokerConnection {
    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(client) { _, object, code, _, _ in
            guard let connection = BrokerConnection.from(object) else { return }
            if code == 0 {
                connection.report(.connected)
            } else {
                let reason = BrokerConnection.text(reason: code)
                connection.end(because: "The broker refused the connection: \(reason)")
            }
        }
        mosquitto_disconnect_v5_callback_set(client) { _, object, code, _ in
            // A lower code is an error of the library, or a requested disconnection.
            guard let connection = BrokerConnection.from(object), isRefusal(code) else { return }
            let isTakenOver = code == Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue)
            connection.end(
                because: isTakenOver
                    ? "Another client connected as \(connection.options.client). Give each host a "
                        + "name of its own"
                    : "The broker ended the connection: \(BrokerConnection.text(reason: code))"
            )
        }
        mosquitto_subscribe_v5_callback_set(client) { _, object, _, count, codes, _ in
            let codes = UnsafeBufferPointer(start: codes, count: Int(count))
            guard let code = codes.first(where: { isRefusal($0) }) else { return }
            let reason = BrokerConnection.text(reason: code)
            BrokerConnection.from(object)?.report(.subscriptionRefused(reason))
        }
        mosquitto_publish_v5_callback_set(client) { _, object, identifier, code, _ in
            let refusal = isRefusal(code) ? BrokerConnection.text(reason: code) : nil
            BrokerConnection.from(object)?.report(.acknowledged(identifier, refusal: refusal))
        }
        mosquitto_message_v5_callback_set(client) { _, object, message, properties in
            guard let connection = BrokerConnection.from(object), let message = message?.pointee,
                let topic = message.topic
            else { return }
            let length = message.payload == nil ? 0 : Int(message.payloadlen)
            let bytes = UnsafeRawBufferPointer(start: message.payload, count: length)
            var received = ReceivedMessage(
                topic: String(cString: topic),
                payload: [UInt8](bytes),
                isRetained: message.retain
            )
            received.read(properties)
            connection.report(.received(received))
        }
    }

    private func end(because reason: String) { brokerReason.withLock { $0 = reason } }

    private static func text(reason code: Int32) -> String {
        String(cString: mosquitto_reason_string(code))
    }

    private static func from(_ object: UnsafeMutableRawPointer?) -> BrokerConnection? {
        object.map { Unmanaged<BrokerConnection>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension ReceivedMessage {
    /// Reads the properties of MQTT 5.
    fileprivate mutating func read(_ properties: OpaquePointer?) {
        var expiry: UInt32 = 0
        let expiryProperty = Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
        if mosquitto_property_read_int32(properties, expiryProperty, &expiry, false) != nil {
            self.expiry = Double(expiry)
        }
        var topic: UnsafeMutablePointer<CChar>?
        let topicProperty = Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue)
        if mosquitto_property_read_string(properties, topicProperty, &topic, false) != nil {
            responseTopic = topic.map { String(cString: $0) }
            free(topic)
        }
        var data: UnsafeMutableRawPointer?
        var length: UInt16 = 0
        let dataProperty = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
        if mosquitto_property_read_binary(properties, dataProperty, &data, &length, false) != nil {
            let bytes = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(length))
            correlation = Array(bytes.prefix(FleetCommand.valueLimit))
            free(data)
        }
    }
}

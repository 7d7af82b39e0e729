// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Testing

/// A Bumble GATT client that executes a test's commands; see Peers/client.py.
struct Client: Sendable {
    /// The time limit for one command: longer than the client's own.
    static let limit: Duration = .seconds(45)

    let process: ChildProcess

    /// A value that was notified or indicated.
    struct Value: Equatable, Sendable {
        enum Kind: String, Sendable {
            case notification, indication
            /// One of several values in one notification.
            case multiple
        }

        let handle: AttributeHandle
        let kind: Kind
        let bytes: [UInt8]
    }

    /// The reason why a command failed.
    enum Failure: Error, Equatable {
        /// Our server answered with an error.
        case refused(ATT.ErrorCode)
        /// Any other failure, with its message.
        case failed(String)
    }

    /// Returns the address of the client at `place`.
    static func address(at place: Int) -> DeviceAddress {
        DeviceAddress(value: 0xF1C0_0000_0001 + UInt64(place), kind: .random)
    }

    /// Executes a command, and returns its result.
    @discardableResult
    func perform(_ what: String, _ details: [String: JSON] = [:]) async throws -> JSON {
        begin(what, details)
        return try await outcome()
    }

    /// Starts a command without waiting for its result.
    func begin(_ what: String, _ details: [String: JSON] = [:]) {
        let command = JSON.object(details.merging(["do": .string(what)]) { $1 })
        guard let line = try? command.line else { preconditionFailure("\(command) is not JSON") }
        process.write(line: line)
    }

    /// Waits for the result of the oldest pending command.
    @discardableResult
    func outcome() async throws -> JSON {
        guard let line = try await process.nextLine(within: Self.limit) else {
            throw ProcessError.ended("the client ended", log: process.log)
        }
        let answer = try JSON(parsing: line)
        if let code = answer["refused"].integer {
            throw Failure.refused(ATT.ErrorCode(rawValue: UInt8(code)))
        }
        if let words = answer["failed"].text { throw Failure.failed(words) }
        return answer["done"]
    }
}

// MARK: - The link

extension Client {
    /// Scans for a peer with this name or address, and connects. Then requests this MTU, if any.
    func connect(name: String? = nil, address: DeviceAddress? = nil, mtu: Int? = 517) async throws {
        var details: [String: JSON] = [:]
        details["name"] = name.map(JSON.string)
        details["address"] = address.map { .string($0.description) }
        try await perform("connect", details)
        if let mtu { try await perform("exchange_mtu", ["mtu": .number(Double(mtu))]) }
    }

    /// Encrypts the link with a key that both sides have.
    func encrypt(with key: [UInt8]) async throws {
        let answer = try await perform("encrypt", ["key": .bytes(key)])
        #expect(answer["encrypted"] == .boolean(true))
    }

    func disconnect() async throws { try await perform("disconnect") }
}

// MARK: - Attributes

extension Client {
    /// Returns the result of discovery in the format of `LinkDescription`.
    func dump() async throws -> JSON { try await perform("dump") }

    /// Returns the handle of the first value with this UUID.
    func handle(_ uuid: BluetoothUUID) async throws -> AttributeHandle {
        let found = try await perform("handles", ["uuid": .string("\(uuid)")]).elements
        guard let handle = found.first?.handle else {
            throw Failure.failed("no characteristic \(uuid)")
        }
        return handle
    }

    func read(_ handle: AttributeHandle) async throws -> [UInt8] {
        try await perform("read", ["handle": .handle(handle)]).bytes
    }

    func readLong(_ handle: AttributeHandle) async throws -> [UInt8] {
        try await perform("read_long", ["handle": .handle(handle)]).bytes
    }

    /// Reads values with Read Multiple, which returns them without boundaries.
    func readJoined(_ handles: [AttributeHandle]) async throws -> [UInt8] {
        try await perform("read_multiple", ["handles": .array(handles.map(JSON.handle))]).bytes
    }

    /// Reads values with Read Multiple Variable, which returns each value by itself.
    func read(_ handles: [AttributeHandle]) async throws -> [[UInt8]] {
        let values = try await perform(
            "read_multiple_variable",
            ["handles": .array(handles.map(JSON.handle))]
        )
        return values.elements.map { $0["value"].bytes }
    }

    /// Sends one Read By Type Request over all handles, and returns the response.
    func read(uuid: BluetoothUUID) async throws -> [(handle: AttributeHandle?, value: [UInt8])] {
        try await perform("read_by_type", ["uuid": .string("\(uuid)")]).elements
            .map { ($0["handle"].handle, $0["value"].bytes) }
    }

    /// Writes a value with a Write Request, or with the long procedure where one request is not
    /// enough.
    func write(_ value: [UInt8], to handle: AttributeHandle) async throws {
        try await perform("write", ["handle": .handle(handle), "value": .bytes(value)])
    }

    func writeCommand(_ value: [UInt8], to handle: AttributeHandle) async throws {
        try await perform("write_command", ["handle": .handle(handle), "value": .bytes(value)])
    }

    /// Writes a value of any length with Write Long Characteristic Values.
    func writeLong(_ value: [UInt8], to handle: AttributeHandle) async throws {
        try await perform("write_long", ["handle": .handle(handle), "value": .bytes(value)])
    }

    /// Sends one Prepare Write Request, whose echo must match.
    func prepare(_ part: [UInt8], at offset: Int, of handle: AttributeHandle) async throws {
        let details: [String: JSON] = [
            "handle": .handle(handle), "offset": .number(Double(offset)), "value": .bytes(part),
        ]
        let echo = try await perform("prepare", details)
        #expect(echo == .object(details))
    }

    /// Sends an Execute Write Request, which writes the prepared values or discards them.
    func execute(writes: Bool = true) async throws {
        try await perform("execute", ["writes": .boolean(writes)])
    }
}

// MARK: - Notifications and indications

extension Client {
    func subscribe(to handle: AttributeHandle, indicates: Bool = false) async throws {
        try await perform(
            "subscribe",
            ["handle": .handle(handle), "indicates": .boolean(indicates)]
        )
    }

    func unsubscribe(from handle: AttributeHandle) async throws {
        try await perform("unsubscribe", ["handle": .handle(handle)])
    }

    /// Waits for this many values, of one attribute or of all.
    func values(_ count: Int, of handle: AttributeHandle? = nil) async throws -> [Value] {
        var details: [String: JSON] = ["count": .number(Double(count))]
        details["handle"] = handle.map(JSON.handle)
        return try await perform("values", details).elements.map(Value.init)
    }

    /// Sets whether the client confirms indications from now on.
    func confirms(_ yes: Bool) async throws { try await perform("confirm", ["yes": .boolean(yes)]) }
}

extension Client.Value {
    fileprivate init(_ json: JSON) throws {
        handle = try #require(json["handle"].handle)
        kind = try #require(json["kind"].text.flatMap(Kind.init))
        bytes = json["value"].bytes
    }
}

// MARK: - PDUs of any kind

extension Client {
    /// Sends a PDU, valid or not, and waits for the answer.
    func exchange(_ pdu: [UInt8]) async throws -> [UInt8] {
        try await perform("exchange", ["pdu": .bytes(pdu)]).bytes
    }

    /// Sends a PDU, valid or not, and does not wait.
    func send(_ pdu: [UInt8]) async throws { try await perform("send", ["pdu": .bytes(pdu)]) }
}

extension JSON {
    static func handle(_ handle: AttributeHandle) -> JSON { .number(Double(handle.rawValue)) }

    var handle: AttributeHandle? { integer.map { AttributeHandle(UInt16($0)) } }
}

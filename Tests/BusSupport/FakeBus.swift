// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import HCITransports
import Synchronization

/// A message bus in this process, with one client and one program. The program owns every name
/// except the missing names. A test can answer, delay and forge the messages of the program.
package final class FakeBus: Sendable {
    /// A function that receives each message of the client except calls to the bus itself. It runs
    /// on the thread of the bus, in the order of the messages.
    package typealias Program = @Sendable (DBusMessage, FakeBus) -> Void

    /// The unique name of the client.
    package static let client = ":1.1"
    /// The unique name of the program.
    package static let program = ":1.2"

    private struct State {
        var listener: Int32
        var connection: Int32?
        var serial: UInt32 = 0
        var isStopped = false
        /// The names without an owner.
        var missingNames: Set<String> = []
        var rules: [String] = []
    }

    package let path: String
    private let state: Mutex<State>
    private let program: Program
    private let ended = DispatchSemaphore(value: 0)

    /// Starts a bus on a new socket.
    package init(missing: Set<String> = [], _ program: @escaping Program) throws {
        path = NSTemporaryDirectory() + "bus-\(UUID().uuidString.prefix(8))"
        self.program = program
        let listener = try Self.listen(at: path)
        state = Mutex(State(listener: listener, missingNames: missing))
        Thread.detachNewThread { self.run(listener) }
    }

    package var address: DBusAddress { .path(path) }

    /// The match rules that the client added on its latest connection, even if it removed them.
    package var rules: [String] { state.withLock { $0.rules } }

    /// Ends the connection, the listener and the thread, and removes the socket.
    package func stop() {
        let (listener, connection) = state.withLock { state in
            state.isStopped = true
            return (state.listener, state.connection)
        }
        shutdown(listener, Int32(SHUT_RDWR))
        if let connection { shutdown(connection, Int32(SHUT_RDWR)) }
        ended.wait()
        unlink(path)
    }

    /// Ends the connection, as a bus that restarts does.
    package func disconnect() {
        if let connection = state.withLock({ $0.connection }) {
            shutdown(connection, Int32(SHUT_RDWR))
        }
    }

    /// Changes the owner of a name, and reports it as the bus does.
    package func setOwned(_ name: String, _ isOwned: Bool) {
        state.withLock { state in
            state.missingNames.remove(name)
            if !isOwned { state.missingNames.insert(name) }
        }
        signal(
            "/org/freedesktop/DBus",
            DBusMessage.busName,
            "NameOwnerChanged",
            [
                .string(name), .string(isOwned ? "" : Self.program),
                .string(isOwned ? Self.program : ""),
            ],
            from: DBusMessage.busName
        )
    }

    // MARK: Sending

    /// Sends a signal to the client.
    package func signal(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ body: [DBusValue],
        from sender: String = program
    ) {
        guard let path = DBusObjectPath(path) else { return }
        send(
            DBusMessage(
                .signal(path: path, interface: interface, member: member),
                sender: sender,
                body: body
            )
        )
    }

    /// Sends the reply to a call.
    package func reply(
        to call: DBusMessage,
        _ body: [DBusValue] = [],
        descriptors: [PassedDescriptor] = []
    ) {
        let count = descriptors.count
        send(
            DBusMessage(
                .reply(to: call.serial),
                destination: Self.client,
                sender: call.destination == DBusMessage.busName
                    ? DBusMessage.busName : Self.program,
                body: body,
                descriptorCount: count
            ),
            descriptors
        )
    }

    /// Sends an error as the reply to a call.
    package func refuse(_ call: DBusMessage, _ name: String, _ text: String = "") {
        send(
            DBusMessage(
                .error(name: name, to: call.serial),
                sender: Self.program,
                body: [.string(text)]
            )
        )
    }

    /// Sends a message with the next serial. Drops the message if the client is not connected.
    package func send(_ message: DBusMessage, _ descriptors: [PassedDescriptor] = []) {
        state.withLock { state in
            state.serial += 1
            var message = message
            message.serial = state.serial
            guard let connection = state.connection else { return }
            Self.write(message.bytes, descriptors, to: connection)
        }
    }

    /// Sends bytes without a change. Drops them if the client is not connected.
    package func send(raw bytes: [UInt8]) {
        state.withLock { state in
            if let connection = state.connection { Self.write(bytes, [], to: connection) }
        }
    }

    // MARK: The thread

    private static func listen(at path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard listener >= 0, bound == 0, Glibc.listen(listener, 4) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        return listener
    }

    private func run(_ listener: Int32) {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            let isStopped = state.withLock { state in
                state.connection = connection
                state.rules = []
                return state.isStopped
            }
            if !isStopped { serve(connection) }
            state.withLock { $0.connection = nil }
            close(connection)
        }
        close(listener)
        ended.signal()
    }

    private func serve(_ connection: Int32) {
        var deframer = DBusDeframer()
        var line: [UInt8] = []
        var isAuthenticated = false
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            var bytes = buffer[..<count]
            while !isAuthenticated, let byte = bytes.popFirst() {
                line.append(byte)
                guard line.suffix(2) == [13, 10] else { continue }
                isAuthenticated = authenticate(line, on: connection)
                line = []
            }
            deframer.receive(bytes)
            while let message = try? deframer.next().map({ try DBusMessage.read($0) }) {
                handle(message)
            }
        }
    }

    /// Answers a line of the authentication. Returns whether it was the last one.
    private func authenticate(_ line: [UInt8], on connection: Int32) -> Bool {
        let text = String(decoding: line.drop { $0 == 0 }.dropLast(2), as: UTF8.self)
        let answers = [
            "AUTH EXTERNAL": "DATA\r\n", "DATA": "OK 0123456789abcdef0123456789abcdef\r\n",
            "NEGOTIATE_UNIX_FD": "AGREE_UNIX_FD\r\n",
        ]
        if let answer = answers[text] { Self.write(Array(answer.utf8), [], to: connection) }
        return text == "BEGIN"
    }

    private func handle(_ message: DBusMessage) {
        guard message.destination == DBusMessage.busName,
            case .call(_, _, let member) = message.kind
        else { return program(message, self) }
        switch member {
        case "Hello": reply(to: message, [.string(Self.client)])
        case "GetNameOwner":
            let name = message.body.first?.string ?? ""
            let isMissing = state.withLock { $0.missingNames.contains(name) }
            if isMissing {
                refuse(message, "org.freedesktop.DBus.Error.NameHasNoOwner")
            } else {
                reply(to: message, [.string(Self.program)])
            }
        case "AddMatch":
            state.withLock { $0.rules.append(message.body.first?.string ?? "") }
            reply(to: message)
        default: reply(to: message)
        }
    }

    private static func write(
        _ bytes: [UInt8],
        _ descriptors: [PassedDescriptor],
        to connection: Int32
    ) {
        guard descriptors.isEmpty else {
            _ = sendDescriptors(bytes, descriptors.map(\.number), to: connection)
            return
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// Sends bytes with file descriptors, which arrive with the first byte.
private func sendDescriptors(_ bytes: [UInt8], _ numbers: [Int32], to connection: Int32) -> Int {
    let contentOffset = MemoryLayout<cmsghdr>.size
    let length = contentOffset + 4 * numbers.count
    var control = [UInt8](repeating: 0, count: (length + 7) / 8 * 8)
    return control.withUnsafeMutableBytes { control in
        var heading = cmsghdr()
        heading.cmsg_len = length
        heading.cmsg_level = SOL_SOCKET
        heading.cmsg_type = Int32(SCM_RIGHTS)
        control.storeBytes(of: heading, as: cmsghdr.self)
        for (index, number) in numbers.enumerated() {
            control.storeBytes(of: number, toByteOffset: contentOffset + 4 * index, as: Int32.self)
        }
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { bytes in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            return withUnsafeMutablePointer(to: &part) { part in
                var header = msghdr()
                header.msg_iov = part
                header.msg_iovlen = 1
                header.msg_control = control.baseAddress
                header.msg_controllen = control.count
                return sendmsg(connection, &header, Int32(MSG_NOSIGNAL))
            }
        }
    }
}

extension DBusMessage {
    /// The name of the error; `nil` for any other message.
    package var errorName: String? { if case .error(let name, _) = kind { name } else { nil } }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The state of one connection to the bus: the authentication, and the calls that wait for a reply.
package struct DBusConnectionCore: Sendable {
    /// The maximum number of calls that wait for a reply.
    package static let pendingCallLimit = 4_096
    /// The maximum number of file descriptors that arrived and belong to no complete message.
    package static let unclaimedDescriptorLimit = 64

    /// The number of a message. No two waiting calls of a connection have the same number.
    package typealias Serial = UInt32

    /// An action that the driver has to perform.
    package enum Action: Equatable, Sendable {
        case send([UInt8])
        /// The connection has its unique name, and calls may be made.
        case opened
        /// A call ended. The driver passes the message's file descriptors on.
        case completed(Serial, Result<DBusMessage, DBusError>)
        /// A signal, or a call of another program.
        case received(DBusMessage)
        /// A message that is not passed on. The driver drops this many file descriptors.
        case ignored(descriptors: Int)
        /// The connection cannot be continued. All calls have ended.
        case close(DBusError)
    }

    private enum State {
        case authenticating(DBusAuthentication)
        case awaitingName(Serial)
        case open
        case closed
    }

    private var state = State.authenticating(DBusAuthentication())
    private var deframer = DBusDeframer()
    private var lastSerial: Serial = 0
    /// The calls that wait for a reply, with their deadlines.
    private var pending: [Serial: Instant] = [:]
    private var unclaimedDescriptors = 0

    package init() {}

    /// Starts the connection, whose socket is connected.
    package mutating func start() -> [Action] { [.send(DBusAuthentication.opening)] }

    /// Whether calls may be made.
    package var isOpen: Bool { if case .open = state { true } else { false } }

    /// The time at which the driver calls `deadlinePassed(now:)`; `nil` if no call waits.
    package var nextDeadline: Instant? { pending.values.min() }

    // MARK: Sending

    /// Starts a call.
    ///
    /// - Returns: The number of the call and the bytes to send.
    /// - Throws: `DBusError.disconnected` or `DBusError.tooManyCalls`.
    package mutating func call(
        _ message: DBusMessage,
        deadline: Instant
    ) throws(DBusError) -> (Serial, [UInt8]) {
        guard isOpen else { throw .disconnected }
        guard pending.count < Self.pendingCallLimit else { throw .tooManyCalls }
        let message = numbered(message)
        pending[message.serial] = deadline
        return (message.serial, message.bytes)
    }

    /// Returns the bytes of a message that gets no reply; `nil` if the connection is not open.
    package mutating func bytes(of message: DBusMessage) -> [UInt8]? {
        isOpen ? numbered(message).bytes : nil
    }

    /// Gives a message the next number, which is never zero and not that of a waiting call.
    private mutating func numbered(_ message: DBusMessage) -> DBusMessage {
        repeat { lastSerial &+= 1 } while lastSerial == 0 || pending[lastSerial] != nil
        var message = message
        message.serial = lastSerial
        return message
    }

    // MARK: Receiving

    /// Handles bytes from the socket, with the number of file descriptors that came with them.
    package mutating func receive(_ bytes: ArraySlice<UInt8>, descriptors: Int = 0) -> [Action] {
        if case .closed = state { return [] }
        unclaimedDescriptors += descriptors
        guard unclaimedDescriptors <= Self.unclaimedDescriptorLimit else {
            return close(.violation("too many file descriptors"))
        }
        switch state {
        case .authenticating(var authentication):
            let steps = authentication.receive(bytes)
            state = .authenticating(authentication)
            var actions: [Action] = []
            for step in steps { actions += perform(step) }
            return actions
        case .awaitingName, .open:
            deframer.receive(bytes)
            return receiveMessages()
        case .closed: return []
        }
    }

    private mutating func perform(_ step: DBusAuthentication.Step) -> [Action] {
        switch step {
        case .send(let bytes): return [.send(bytes)]
        case .failed(let error): return close(error)
        case .done(let rest):
            let hello = numbered(.toBus("Hello"))
            state = .awaitingName(hello.serial)
            return [.send(Array("BEGIN\r\n".utf8) + hello.bytes)] + receive(rest)
        }
    }

    private mutating func receiveMessages() -> [Action] {
        var actions: [Action] = []
        do throws(MalformedBytes) {
            while case .some(let bytes) = try deframer.next() {
                actions += try receive(DBusMessage.read(bytes))
                if case .closed = state { break }
            }
        } catch {
            actions += close(.violation("\(error)"))
        }
        return actions
    }

    private mutating func receive(_ message: DBusMessage) throws(MalformedBytes) -> [Action] {
        guard message.descriptorCount <= unclaimedDescriptors else {
            throw .invalid(field: "number of file descriptors")
        }
        unclaimedDescriptors -= message.descriptorCount
        switch message.kind {
        case .reply(let serial): return reply(to: serial, .success(message), message)
        case .error(let name, let serial):
            let text = message.body.first?.string ?? ""
            return reply(to: serial, .failure(.failed(name: name, message: text)), message)
        case .call where isOpen, .signal where isOpen: return [.received(message)]
        case .call, .signal, .unknown: return [.ignored(descriptors: message.descriptorCount)]
        }
    }

    private mutating func reply(
        to serial: Serial,
        _ result: Result<DBusMessage, DBusError>,
        _ message: DBusMessage
    ) -> [Action] {
        let ignored = Action.ignored(descriptors: message.descriptorCount)
        if case .awaitingName(serial) = state {
            guard case .success(let reply) = result, reply.body.first?.string != nil else {
                return close(.violation("the reply to Hello"))
            }
            state = .open
            return [ignored, .opened]
        }
        guard pending.removeValue(forKey: serial) != nil else { return [ignored] }
        if case .failure = result { return [ignored, .completed(serial, result)] }
        return [.completed(serial, result)]
    }

    // MARK: Ends

    /// Ends the calls whose deadline has passed.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        let late = pending.filter { $0.value <= now }.keys.sorted()
        for serial in late { pending[serial] = nil }
        return late.map { .completed($0, .failure(.timedOut)) }
    }

    /// Ends all calls, after the socket was closed.
    package mutating func disconnected() -> [Action] {
        guard case .closed = state else { return endCalls() }
        return []
    }

    private mutating func close(_ error: DBusError) -> [Action] { endCalls() + [.close(error)] }

    private mutating func endCalls() -> [Action] {
        state = .closed
        let calls = pending.keys.sorted()
        pending = [:]
        return calls.map { .completed($0, .failure(.disconnected)) }
    }
}

extension DBusMessage {
    /// The name, and also the interface, of the bus itself.
    package static let busName = "org.freedesktop.DBus"

    /// Returns a call to the bus itself ("Message Bus Messages").
    package static func toBus(_ member: String, _ arguments: [DBusValue] = []) -> DBusMessage {
        let path = DBusObjectPath("/org/freedesktop/DBus") ?? .root
        return DBusMessage(
            .call(path: path, interface: busName, member: member),
            destination: busName,
            body: arguments
        )
    }
}

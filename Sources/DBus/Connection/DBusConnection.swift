// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

/// A connection to a message bus, which is opened again when it ends.
///
/// All methods are called on `executor`, which also calls all closures.
///
/// The conformance is unchecked: only the executor's thread accesses the mutable properties. The
/// stream and the timers trap on any other thread.
package final class DBusConnection: @unchecked Sendable {
    /// The time between two attempts to connect.
    package static let retryInterval = Duration.seconds(1)
    /// The default time that a reply may take, as in other D-Bus libraries.
    package static let replyTimeout = Duration.seconds(25)

    /// An event that is not the result of a call.
    package enum Event: Sendable {
        /// The connection is open. Match rules and names of an earlier connection no longer exist.
        case opened
        /// The connection ended, or an attempt to connect failed. The calls have ended. Another
        /// attempt follows. Attempts that fail for the same reason are reported once.
        case closed(DBusError)
        /// A signal, or a call of another program.
        case received(DBusMessage, [PassedDescriptor])
    }

    /// A reply with its file descriptors.
    package struct Reply: Sendable {
        package let message: DBusMessage
        package let descriptors: [PassedDescriptor]

        /// The values of the reply.
        package var values: [DBusValue] { message.body }

        /// Returns the file descriptor of a value.
        package func descriptor(_ value: DBusValue?) -> PassedDescriptor? {
            guard case .unixFD(let index)? = value, index < descriptors.count else { return nil }
            return descriptors[Int(index)]
        }
    }

    package typealias Completion = @Sendable (Result<Reply, DBusError>) -> Void

    package let executor: AdapterExecutor
    private let address: DBusAddress
    private let receive: @Sendable (Event) -> Void

    private var core = DBusConnectionCore()
    private var stream: DescriptorStream?
    /// The file descriptors that arrived and belong to no message yet, oldest first.
    private var descriptors: [PassedDescriptor] = []
    private var completions: [DBusConnectionCore.Serial: Completion] = [:]
    private var deadlineTimer: (any HostTimer)?
    private var retryTimer: (any HostTimer)?
    private var shouldBeOpen = false
    private var lastError: DBusError?

    /// Creates a connection, which `open()` opens.
    package init(
        to address: DBusAddress,
        executor: AdapterExecutor,
        receive: @escaping @Sendable (Event) -> Void
    ) {
        self.address = address
        self.executor = executor
        self.receive = receive
    }

    /// Opens the connection, and keeps it open until `close()`.
    package func open() {
        guard !shouldBeOpen else { return }
        shouldBeOpen = true
        let deadlines = executor.makeTimer { [weak self] in self?.deadlinePassed() }
        let retries = executor.makeTimer { [weak self] in self?.connect() }
        (deadlineTimer, retryTimer) = (deadlines, retries)
        executor.perform { [weak self] in self?.connect() }
    }

    /// Closes the connection. Waiting calls end with `DBusError.disconnected`.
    package func close() {
        shouldBeOpen = false
        retryTimer?.set(to: nil)
        let stream = stream
        ended(.disconnected)
        stream?.close()
    }

    /// Calls a method of another program.
    ///
    /// - Parameters:
    ///   - message: The call.
    ///   - timeout: The time that the reply may take.
    ///   - completion: Called exactly once, and never before this method has returned.
    package func call(
        _ message: DBusMessage,
        timeout: Duration = replyTimeout,
        then completion: @escaping Completion
    ) {
        do throws(DBusError) {
            let (serial, bytes) = try core.call(message, deadline: executor.now + timeout)
            completions[serial] = completion
            stream?.send(bytes)
            deadlineTimer?.set(to: core.nextDeadline)
        } catch {
            executor.perform { completion(.failure(error)) }
        }
    }

    /// Sends a reply or a signal. Does nothing while the connection is not open.
    package func send(_ message: DBusMessage, _ descriptors: [PassedDescriptor] = []) {
        guard let bytes = core.bytes(of: message) else { return }
        stream?.send(bytes, descriptors)
    }

    // MARK: The socket

    private func connect() {
        guard shouldBeOpen, stream == nil else { return }
        core = DBusConnectionCore()
        do throws(TransportError) {
            let stream = try DescriptorStream(
                connectingTo: address.socketName,
                executor: executor,
                receive: { [weak self] bytes, descriptors in self?.received(bytes, descriptors) },
                ended: { [weak self] stream, error in self?.streamEnded(stream, error) }
            )
            self.stream = stream
            stream.start()
            perform(core.start())
        } catch {
            ended(.unreachable("\(error)"))
        }
    }

    private func streamEnded(_ ended: DescriptorStream, _ error: TransportError?) {
        guard stream === ended else { return }
        self.ended(.disconnected)
    }

    /// Ends the calls of a connection that has ended, reports the end, and tries again later.
    private func ended(_ error: DBusError) {
        stream = nil
        descriptors = []
        perform(core.disconnected())
        deadlineTimer?.set(to: nil)
        guard shouldBeOpen else { return }
        retryTimer?.set(to: executor.now + Self.retryInterval)
        guard lastError != error else { return }
        lastError = error
        receive(.closed(error))
    }

    private func received(_ bytes: ArraySlice<UInt8>, _ new: [PassedDescriptor]) {
        descriptors += new
        perform(core.receive(bytes, descriptors: new.count))
        deadlineTimer?.set(to: core.nextDeadline)
    }

    private func deadlinePassed() {
        perform(core.deadlinePassed(now: executor.now))
        deadlineTimer?.set(to: core.nextDeadline)
    }

    private func perform(_ actions: [DBusConnectionCore.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): stream?.send(bytes)
            case .opened:
                lastError = nil
                receive(.opened)
            case .completed(let serial, let result): complete(serial, result)
            case .received(let message):
                receive(.received(message, takeDescriptors(message.descriptorCount)))
            case .ignored(let count): _ = takeDescriptors(count)
            case .close(let error):
                let stream = stream
                ended(error)
                stream?.close()
            }
        }
    }

    private func complete(
        _ serial: DBusConnectionCore.Serial,
        _ result: Result<DBusMessage, DBusError>
    ) {
        let reply = result.map { message in
            Reply(message: message, descriptors: takeDescriptors(message.descriptorCount))
        }
        completions.removeValue(forKey: serial)?(reply)
    }

    private func takeDescriptors(_ count: Int) -> [PassedDescriptor] {
        let taken = Array(descriptors.prefix(count))
        descriptors.removeFirst(taken.count)
        return taken
    }
}

extension DBusAddress {
    fileprivate var socketName: DescriptorStream.SocketName {
        switch self {
        case .path(let path): .path(path)
        case .abstract(let name): .abstract(name)
        }
    }
}

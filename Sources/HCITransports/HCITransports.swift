// SPDX-License-Identifier: Apache-2.0

// The connections between a host and its controller. Commands and data go from the host to the
// controller, and events and data from the controller to the host. The kinds of transport are a
// socket, a UART, an adapter of the Linux kernel, a gateway, and another object of the same
// process. The format is H4 (Vol 4, Part A), in which every packet starts with a byte that gives
// its kind. A transport does not interpret packets. It sends complete packets, and delivers
// received bytes as the operating system fragments them. The framing layer combines them into
// packets.
//
// The host and the transport of an adapter run on one thread, that of their `AdapterExecutor`. The
// thread waits for the descriptors, reads, lets the host process the bytes, and writes the packets
// that the host has sent. Each wake-up needs one poll, one read and one write, whatever the number
// of packets. The kernel's adapters are an exception, because they transfer one packet in each
// call. The host is an actor on the same executor, so a packet reaches it without a change of
// threads.
//
// Two wrappers work with any transport: one writes a packet log for Wireshark, and the other
// injects faults.

/// A connection to a controller.
///
/// A transport carries H4 packets (Vol 4, Part A, 2) in order and in both directions. It can be
/// opened again after it has closed, unless it is a connection that a server accepted.
public protocol HCITransport: Sendable {
    /// The name of the connection for logs and errors, such as `tcp:localhost:9000`.
    var name: String { get }

    /// Whether bytes may be lost or corrupted in transit, as on a UART. The default is `false`.
    ///
    /// If the value is `true`, a host that can no longer find packets in the received bytes may
    /// reset the controller and search for the answer (Vol 4, Part A, 4). Otherwise, it opens the
    /// transport again.
    var losesBytes: Bool { get }

    /// The maximum length of an H4 packet in bytes, including the type byte, or `nil` for no limit.
    /// The default is `nil`. Every HCI command fits in this length.
    ///
    /// If the controller accepts longer data packets, the host still sends packets of at most this
    /// length.
    var longestPacket: Int? { get }

    /// A notice for the user of the open transport, as a sentence without a period at its end, for
    /// example that the transport is slower than requested. The default is `nil`.
    var notice: String? { get }

    /// Connects to the controller, and returns when bytes can be sent and received.
    ///
    /// From then on, `receive` is called on the executor's thread with every event, until
    /// `.closed`, which comes exactly once and last. It may be called before `open` returns to its
    /// caller. If `open` throws, `receive` is never called. Cancellation of the task cancels the
    /// attempt.
    ///
    /// - Parameters:
    ///   - executor: The executor of the host.
    ///   - receive: The receiver of the events.
    /// - Throws: ``TransportError`` if there is no connection.
    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError)

    /// Sends complete H4 packets in order, after all packets that were sent before.
    ///
    /// Called on the executor's thread only. The method never waits. A transport with a descriptor
    /// writes the packets at the end of the thread's turn, combined if the connection permits it.
    /// Packets that cannot be written yet are kept up to a limit, above which the transport closes
    /// with `.outputOverflow`. On a transport that is not open, the method does nothing.
    func send(_ packets: [[UInt8]])

    /// Closes the connection, after one attempt to write the remaining packets. `.closed(nil)`
    /// follows.
    ///
    /// Called on the executor's thread only. On a transport that is not open, the method does
    /// nothing.
    func close()

    /// Watches for a change after which the transport may open again, once it has failed to open or
    /// has closed on its own. For example, the adapter is plugged in again, or another program
    /// releases it.
    ///
    /// Called on the executor's thread. The watch lasts until its `end()` is called.
    ///
    /// - Parameters:
    ///   - executor: The executor of the host.
    ///   - returned: The closure to call on the executor's thread after each such change.
    /// - Returns: The watch, or `nil` if the system announces nothing for this kind of transport.
    ///   The default is `nil`.
    func watch(
        on executor: any HostExecutor,
        returned: @escaping @Sendable () -> Void
    ) -> (any TransportWatch)?
}

/// A watch that `HCITransport.watch` has started.
public protocol TransportWatch: AnyObject, Sendable {
    /// Ends the watch. Called on the executor's thread only. A second call does nothing.
    func end()
}

extension HCITransport {
    /// The default, `false`.
    public var losesBytes: Bool { false }

    /// The default, `nil`: no limit.
    public var longestPacket: Int? { nil }

    /// The default, `nil`: no notice.
    public var notice: String? { nil }

    /// Returns `nil`, the default.
    public func watch(
        on executor: any HostExecutor,
        returned: @escaping @Sendable () -> Void
    ) -> (any TransportWatch)? {
        nil
    }
}

/// An event of an open transport.
public enum TransportEvent: Equatable, Sendable {
    /// Bytes arrived: a part of a packet, or one or more packets. The receiver may keep the slice.
    case received(ArraySlice<UInt8>)
    /// The transport has closed, and no event follows. The error is `nil` after `close()`.
    case closed(TransportError?)
}

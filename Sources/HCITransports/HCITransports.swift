// SPDX-License-Identifier: Apache-2.0

// A host and its controller talk through a pipe: commands and data go down, events and data come
// up. This room holds the kinds of pipe there are: a socket, the wire of a UART, an adapter that the
// Linux kernel hands over, or another object of the same process. What flows is H4 (Vol 4, Part A):
// every packet starts with an octet that says what it is. A transport does not look inside. It takes
// whole packets to send, and hands up what arrives cut wherever the operating system cut it; putting
// packets together again is the framing's work.
//
// All that happens to one adapter happens on one thread, the one of its `AdapterExecutor`. It waits
// for the descriptors, reads, lets the host work on what was read, and writes what the host sent:
// one poll, one read and one write for each time it wakes, however many packets that makes. (But for
// the kernel's adapters, which take and give one packet at a time.) Because the host is an actor on
// the same executor, a packet reaches it without changing threads.
//
// File descriptors and the C library appear in this room and in no other. Two wrappers work around
// any transport: one writes a packet log that Wireshark opens, the other makes faults on purpose.

/// A way to reach a controller.
///
/// A transport carries H4 packets (Vol 4, Part A, 2) in order and in both directions. It can be
/// opened again after it has closed.
public protocol HCITransport: Sendable {
    /// What it reaches, for logs and errors: `tcp:localhost:9000`.
    var name: String { get }

    /// Whether bytes may get lost or change on the way, as on the wire of a UART. By default they do
    /// not.
    ///
    /// A host that finds no packets any more in what comes then resets the controller and searches
    /// its answer (Vol 4, Part A, 4), where it would otherwise open the transport anew.
    var losesBytes: Bool { get }

    /// The longest H4 packet that may be sent, in octets, its type included; nil, as by default, where
    /// any may. Long enough for every command.
    ///
    /// A host cuts its data shorter than the controller would take it, if it must.
    var longestPacket: Int? { get }

    /// What whoever uses the open transport should know, in a sentence without a full stop: that it
    /// is slower than asked for, say. By default there is nothing.
    var notice: String? { get }

    /// Reaches the controller, and returns when bytes can flow.
    ///
    /// From then until `.closed`, which comes exactly once and last, `receive` is called on the
    /// executor's thread with everything that happens. It may be called before `open` returns to
    /// its caller. If `open` throws, `receive` is never called. Cancelling the task gives up.
    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError)

    /// Sends whole H4 packets, in order, after all that was sent before.
    ///
    /// Called on the executor's thread only. Never waits: packets leave at the end of the thread's
    /// turn, joined where that makes no difference. What cannot leave is kept up to a bound; beyond it the transport closes with
    /// `.outputOverflow`. On a transport that is not open, nothing happens.
    func send(_ packets: [[UInt8]])

    /// Closes the connection, after trying once to write what was sent; `.closed(nil)` follows.
    ///
    /// Called on the executor's thread only. On a transport that is not open, nothing happens.
    func close()

    /// Calls `returned` each time the system announces what this transport lacked when it failed to open
    /// or closed by itself: its adapter was plugged in again, say, or another program has let go of it.
    /// To open it is worth a try then.
    ///
    /// Called on the executor's thread, as `returned` is, and lasts until `end()`. Nil, as by default,
    /// from a transport of which nothing is ever announced.
    func watch(
        on executor: any HostExecutor,
        returned: @escaping @Sendable () -> Void
    ) -> (any TransportWatch)?
}

/// What `HCITransport.watch` has begun.
public protocol TransportWatch: AnyObject, Sendable {
    /// Ends it. Called on the executor's thread only; a second time, nothing happens.
    func end()
}

extension HCITransport {
    /// False: what is sent arrives.
    public var losesBytes: Bool { false }

    /// Nil: any may be sent.
    public var longestPacket: Int? { nil }

    /// Nothing.
    public var notice: String? { nil }

    /// Of nothing.
    public func watch(
        on executor: any HostExecutor,
        returned: @escaping @Sendable () -> Void
    ) -> (any TransportWatch)? {
        nil
    }
}

/// What happens on an open transport.
public enum TransportEvent: Equatable, Sendable {
    /// Bytes arrived: part of a packet, or one, or many. The slice may be kept.
    case received(ArraySlice<UInt8>)
    /// Nothing more will come. Nil after `close()`; otherwise why.
    case closed(TransportError?)
}

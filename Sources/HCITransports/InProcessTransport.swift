// SPDX-License-Identifier: Apache-2.0

/// One end of a connection between two objects of this process: a host and a virtual controller.
///
/// ```swift
/// let (hostSide, controllerSide) = InProcessTransport.pair()
/// ```
///
/// The transport works on any executor, and the ends may have the same or different ones. Packets
/// sent in one call arrive in one piece. Packets sent before the other end is open wait for it, up
/// to `pendingBytesLimit`. When one end closes, the other receives `.closed(.closedByPeer)`. Both
/// can then be opened again.
public final class InProcessTransport: HCITransport {
    /// The maximum number of bytes that wait for the other end to open.
    public static let pendingBytesLimit = 1 << 20

    private struct Opening {
        let executor: any HostExecutor
        let receive: @Sendable (TransportEvent) -> Void

        func deliver(_ event: TransportEvent) {
            executor.perform { [receive] in receive(event) }
        }
    }

    private struct End {
        var opening: Opening?
        /// The bytes that arrived before this end was open.
        var waiting: [UInt8] = []
    }

    /// The two ends in one object, because closing one end changes the other.
    private final class Pipe: Sendable {
        let ends = Lock([End(), End()])
    }

    private let pipe: Pipe
    private let index: Int
    private var otherIndex: Int { 1 - index }

    /// The name: `in-process:0` or `in-process:1`.
    public var name: String { "in-process:\(index)" }

    private init(_ pipe: Pipe, index: Int) {
        self.pipe = pipe
        self.index = index
    }

    /// Creates both ends of a new connection.
    public static func pair() -> (InProcessTransport, InProcessTransport) {
        let pipe = Pipe()
        return (InProcessTransport(pipe, index: 0), InProcessTransport(pipe, index: 1))
    }

    /// Opens this end, and delivers the waiting bytes before all later ones.
    ///
    /// - Throws: ``TransportError/alreadyOpen(_:)`` if the end is open.
    public func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        let opening = Opening(executor: executor, receive: receive)
        let isOpened = pipe.ends.withLock { ends in
            guard ends[index].opening == nil else { return false }
            ends[index].opening = opening
            let waiting = ends[index].waiting
            ends[index].waiting = []
            // The delivery occurs under the lock, so that no packet sent meanwhile overtakes the
            // waiting bytes.
            if !waiting.isEmpty { opening.deliver(.received(waiting[...])) }
            return true
        }
        if !isOpened { throw .alreadyOpen(name) }
    }

    /// Delivers the packets to the other end, as one piece.
    public func send(_ packets: [[UInt8]]) {
        let bytes = packets.count == 1 ? packets[0] : Array(packets.joined())
        guard !bytes.isEmpty else { return }
        let hasOverflowed = pipe.ends.withLock { ends in
            guard ends[index].opening != nil else { return false }
            if let other = ends[otherIndex].opening {
                other.deliver(.received(bytes[...]))
                return false
            }
            ends[otherIndex].waiting += bytes
            return ends[otherIndex].waiting.count > Self.pendingBytesLimit
        }
        if hasOverflowed { close(.outputOverflow(limit: Self.pendingBytesLimit)) }
    }

    /// Closes both ends.
    public func close() {
        close(nil)
    }

    private func close(_ error: TransportError?) {
        // The former ends are released only after the lock is, because they can hold the last
        // references to objects of the host or the controller.
        _ = pipe.ends.withLock { ends in
            guard let opening = ends[index].opening else { return [] as [End] }
            opening.deliver(.closed(error))
            ends[otherIndex].opening?.deliver(.closed(.closedByPeer(name)))
            defer { ends = [End(), End()] }
            return ends
        }
    }
}

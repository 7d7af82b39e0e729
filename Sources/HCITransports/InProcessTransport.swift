// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One end of a pipe between two objects of this process: a host and a virtual controller.
///
/// ```swift
/// let (hostSide, controllerSide) = InProcessTransport.pair()
/// ```
///
/// Works on any executor, each end on its own or both on the same. What is sent in one call arrives
/// in one piece. What is sent before the other end is open waits for it, up to
/// `pendingBytesLimit`. When one end closes, the other hears `.closed(.closedByPeer)`; then both
/// can be opened again.
public final class InProcessTransport: HCITransport {
    /// How many bytes may wait for the other end to be opened.
    public static let pendingBytesLimit = 1 << 20

    /// An open end.
    private struct Opening {
        let executor: any HostExecutor
        let receive: @Sendable (TransportEvent) -> Void

        func deliver(_ event: TransportEvent) {
            executor.perform { [receive] in receive(event) }
        }
    }

    /// What one end knows.
    private struct End {
        var opening: Opening?
        /// What came before this end was open.
        var waiting: [UInt8] = []
    }

    /// Both ends, since closing one changes the other.
    private final class Pipe: Sendable {
        let ends = Mutex([End(), End()])
    }

    private let pipe: Pipe
    private let index: Int
    private var otherIndex: Int { 1 - index }

    /// `in-process:0` or `in-process:1`.
    public var name: String { "in-process:\(index)" }

    private init(_ pipe: Pipe, index: Int) {
        self.pipe = pipe
        self.index = index
    }

    /// Makes both ends of a new pipe.
    public static func pair() -> (InProcessTransport, InProcessTransport) {
        let pipe = Pipe()
        return (InProcessTransport(pipe, index: 0), InProcessTransport(pipe, index: 1))
    }

    /// Opens this end; fails only if it is open. What waits for it arrives at once.
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
            // Under the lock, so that nothing sent meanwhile overtakes it.
            if !waiting.isEmpty { opening.deliver(.received(waiting[...])) }
            return true
        }
        if !isOpened { throw .alreadyOpen(name) }
    }

    /// Hands the packets to the other end, as one piece.
    public func send(_ packets: [[UInt8]]) {
        let bytes = packets.count == 1 ? packets[0] : Array(packets.joined())
        guard !bytes.isEmpty else { return }
        let hasOverflown = pipe.ends.withLock { ends in
            guard ends[index].opening != nil else { return false }
            if let other = ends[otherIndex].opening {
                other.deliver(.received(bytes[...]))
                return false
            }
            ends[otherIndex].waiting += bytes
            return ends[otherIndex].waiting.count > Self.pendingBytesLimit
        }
        if hasOverflown { close(.outputOverflow(limit: Self.pendingBytesLimit)) }
    }

    /// Closes both ends.
    public func close() {
        close(nil)
    }

    private func close(_ error: TransportError?) {
        // Returned out of the lock: what the receivers hold is let go after it, not under it.
        _ = pipe.ends.withLock { ends in
            guard let opening = ends[index].opening else { return [] as [End] }
            opening.deliver(.closed(error))
            ends[otherIndex].opening?.deliver(.closed(.closedByPeer(name)))
            defer { ends = [End(), End()] }
            return ends
        }
    }
}

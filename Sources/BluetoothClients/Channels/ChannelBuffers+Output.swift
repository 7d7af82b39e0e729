// SPDX-License-Identifier: Apache-2.0

extension ChannelBuffers {
    /// The direction from the application to the peer.
    struct Output: Equatable, Sendable {
        var progress = StreamProgress()
        /// The written bytes that are not in an SDU yet.
        var pending = ByteQueue()
        /// The lengths of the SDUs that the host is sending.
        var inFlight: [Int] = []

        var isDrained: Bool { pending.isEmpty && inFlight.isEmpty }

        /// The number of bytes that count against the capacity: the pending bytes, and the bytes of
        /// the SDUs that the host is sending. These SDUs occupy memory until the peer accepts them.
        var count: Int { inFlight.reduce(pending.count, +) }

        /// Returns whether there is an SDU to send and the host can take one.
        func isSDUDue(_ limits: ChannelLimits) -> Bool {
            !pending.isEmpty && inFlight.count < limits.sendsInFlightLimit
        }

        /// Removes and returns the next SDU, at most of the length that the peer accepts.
        mutating func takeSDU(_ limits: ChannelLimits) -> [UInt8] {
            let sdu = Array(pending.take(upTo: limits.sendMTU))
            inFlight.append(sdu.count)
            return sdu
        }

        func dueEvent(freeSpace: Int, status: Status) -> Event? {
            guard case .failed = status else {
                return progress.due(ready: freeSpace > 0 ? .hasSpaceAvailable : nil, end: nil)
            }
            return progress.due(ready: nil, end: .errorOccurred)
        }
    }

    /// The result of writing.
    package enum Writing: Equatable, Sendable {
        /// The number of bytes that were accepted. The caller has to write the other bytes again.
        case accepted(Int)
        /// There is no space now.
        case wait
        /// The stream is not open, or has failed.
        case refused
    }

    /// The number of bytes that can be written now.
    var freeSpace: Int { max(0, limits.sendCapacity - output.count) }

    /// Whether writing accepts bytes at once.
    package var isWritable: Bool { status(of: .output) == .open && freeSpace > 0 }

    /// Adds as many bytes as there is space for.
    package mutating func write(_ bytes: some Collection<UInt8>) -> Writing {
        guard status(of: .output) == .open else { return .refused }
        guard !bytes.isEmpty else { return .accepted(0) }
        output.progress.used()
        guard freeSpace > 0 else { return .wait }
        let accepted = bytes.prefix(freeSpace)
        output.pending.append(accepted)
        return .accepted(accepted.count)
    }

    /// Removes the oldest SDU that the host was sending, because it was sent.
    mutating func sent() {
        guard !output.inFlight.isEmpty else { return }
        output.inFlight.removeFirst()
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ChannelBuffers {
    /// The direction from the application to the peer.
    struct Output: Equatable, Sendable {
        var life = StreamLife()
        /// What was written and is not in an SDU yet.
        var pending = ByteQueue()
        /// The lengths of the SDUs that the host has.
        var inFlight: [Int] = []

        var isDrained: Bool { pending.isEmpty && inFlight.isEmpty }

        /// How many octets count against the capacity: those of the host's SDUs as well, which are
        /// there until the peer lets them go.
        var count: Int { inFlight.reduce(pending.count, +) }

        /// Whether the host may have another SDU, and there is one.
        func isSDUDue(_ limits: ChannelLimits) -> Bool {
            !pending.isEmpty && inFlight.count < limits.sendsInFlightLimit
        }

        /// Cuts the next SDU, as long as the peer takes them.
        mutating func takeSDU(_ limits: ChannelLimits) -> [UInt8] {
            let sdu = Array(pending.take(upTo: limits.sendMTU))
            inFlight.append(sdu.count)
            return sdu
        }

        func dueEvent(room: Int, status: Status) -> Event? {
            guard case .failed = status else {
                return life.due(ready: room > 0 ? .hasSpaceAvailable : nil, end: nil)
            }
            return life.due(ready: nil, end: .errorOccurred)
        }
    }

    /// What writing yields.
    enum Writing: Equatable, Sendable {
        /// So many octets will leave; the rest is for later.
        case accepted(Int)
        /// There is no room now.
        case wait
        /// The stream is not open, or has failed.
        case refused
    }

    /// How many octets could be written now.
    var room: Int { max(0, limits.sendCapacity - output.count) }

    /// Whether writing would take something at once.
    var isWritable: Bool { status(of: .output) == .open && room > 0 }

    /// Takes as many octets as there is room for.
    mutating func write(_ octets: some Collection<UInt8>) -> Writing {
        guard status(of: .output) == .open else { return .refused }
        guard !octets.isEmpty else { return .accepted(0) }
        output.life.used()
        guard room > 0 else { return .wait }
        let accepted = octets.prefix(room)
        output.pending.append(accepted)
        return .accepted(accepted.count)
    }

    /// The oldest of the SDUs that the host had has left.
    mutating func sent() {
        guard !output.inFlight.isEmpty else { return }
        output.inFlight.removeFirst()
    }
}

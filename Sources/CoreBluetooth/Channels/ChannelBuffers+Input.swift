// SPDX-License-Identifier: Apache-2.0

extension ChannelBuffers {
    /// The direction from the peer to the application.
    struct Input: Equatable, Sendable {
        var life = StreamLife()
        var received = ByteQueue()
        /// Whether the host has been asked for the next SDU.
        var isReceiving = false
        /// Why no more will be received.
        var end: ChannelEnd?

        /// A stream is at its end, or has failed, once all that came before has been read.
        var status: Status {
            guard life.isOpen else { return life.isClosed ? .closed : .notOpen }
            guard received.isEmpty, let end else { return .open }
            if case .failed(let code) = end { return .failed(code) }
            return .atEnd
        }

        var dueEvent: Event? {
            let end: Event? =
                switch status {
                case .atEnd: .endEncountered
                case .failed: .errorOccurred
                case .notOpen, .open, .closed: nil
                }
            return life.due(ready: received.isEmpty ? nil : .hasBytesAvailable, end: end)
        }

        /// Whether another SDU can be asked for: the longest must fit.
        func isRoomForSDU(_ limits: ChannelLimits) -> Bool {
            !isReceiving && end == nil && !life.isClosed
                && received.count + limits.receiveMTU <= limits.receiveCapacity
        }
    }

    /// What reading yields.
    enum Reading: Equatable, Sendable {
        case bytes(ArraySlice<UInt8>)
        /// Nothing has come yet.
        case wait
        /// Nothing will come.
        case end
        /// The stream is not open, or has failed.
        case refused
    }

    /// Takes up to `limit` of the octets that have come.
    mutating func read(upTo limit: Int) -> Reading {
        switch input.status {
        case .notOpen, .closed, .failed: return .refused
        case .atEnd: return .end
        case .open:
            guard !input.received.isEmpty else { return .wait }
            input.life.used()
            return .bytes(input.received.take(upTo: limit))
        }
    }

    /// Whether reading would yield something at once.
    var isReadable: Bool { input.life.isOpen && !input.received.isEmpty }

    /// The host has received an SDU. One that comes after its reader has gone is dropped.
    mutating func received(_ sdu: [UInt8]) {
        input.isReceiving = false
        guard !input.life.isClosed, !isReleased else { return }
        input.received.append(sdu)
    }

    /// The host has given out all that came before the channel's end.
    mutating func receivingEnded(_ end: ChannelEnd) {
        input.isReceiving = false
        if input.end == nil { input.end = end }
        ended(end)
    }
}

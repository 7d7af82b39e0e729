// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

extension ChannelBuffers {
    /// The direction from the peer to the application.
    struct Input: Equatable, Sendable {
        var progress = StreamProgress()
        var received = ByteQueue()
        /// Whether the next SDU was requested from the host.
        var isReceiving = false
        /// The reason why no more SDUs arrive.
        var end: ChannelEnd?

        /// The status of the stream. It is at its end or has failed only after all received bytes
        /// were read.
        var status: Status {
            guard progress.isOpen else { return progress.isClosed ? .closed : .notOpen }
            guard received.isEmpty, let end else { return .open }
            if case .failed(let error) = end { return .failed(ClientError.code(of: error)) }
            return .atEnd
        }

        var dueEvent: Event? {
            let end: Event? =
                switch status {
                case .atEnd: .endEncountered
                case .failed: .errorOccurred
                case .notOpen, .open, .closed: nil
                }
            return progress.due(ready: received.isEmpty ? nil : .hasBytesAvailable, end: end)
        }

        /// Returns whether to request another SDU: there must be space for the longest one.
        func hasRoomForSDU(_ limits: ChannelLimits) -> Bool {
            !isReceiving && end == nil && !progress.isClosed
                && received.count + limits.receiveMTU <= limits.receiveCapacity
        }
    }

    /// The result of reading.
    package enum Reading: Equatable, Sendable {
        case bytes(ArraySlice<UInt8>)
        /// No bytes have arrived.
        case wait
        /// The stream is at its end.
        case end
        /// The stream is not open, or has failed.
        case refused
    }

    /// Removes and returns received bytes, at most `limit`.
    package mutating func read(upTo limit: Int) -> Reading {
        switch input.status {
        case .notOpen, .closed, .failed: return .refused
        case .atEnd: return .end
        case .open:
            guard !input.received.isEmpty else { return .wait }
            input.progress.used()
            return .bytes(input.received.take(upTo: limit))
        }
    }

    /// Whether reading returns bytes at once.
    package var isReadable: Bool { input.progress.isOpen && !input.received.isEmpty }

    /// Adds an SDU that the host received. Drops it if the input stream is closed or the channel is
    /// released.
    mutating func received(_ sdu: [UInt8]) {
        input.isReceiving = false
        guard !input.progress.isClosed, !isReleased else { return }
        input.received.append(sdu)
    }

    /// Handles the end of receiving. All SDUs that arrived before the end were added.
    mutating func receivingEnded(_ end: ChannelEnd) {
        input.isReceiving = false
        if input.end == nil { input.end = end }
        ended(end)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// How far a stream is in its life, and which of that its delegate has been told.
struct StreamLife: Equatable, Sendable {
    private enum Phase {
        case notOpen
        case open
        case closed
    }

    private var phase = Phase.notOpen
    private var isOpeningTold = false
    private var isEndTold = false
    /// Whether the delegate knows that it can read or write, and has not done so since.
    private(set) var isReadinessTold = false

    var isOpen: Bool { phase == .open }
    var isClosed: Bool { phase == .closed }

    /// Opens a stream that never was open: a closed one stays closed.
    mutating func open() {
        if phase == .notOpen { phase = .open }
    }

    mutating func close() {
        phase = .closed
    }

    /// The application has read or written: the next readiness is news.
    mutating func used() {
        isReadinessTold = false
    }

    mutating func told(_ event: ChannelBuffers.Event) {
        switch event {
        case .openCompleted: isOpeningTold = true
        case .hasBytesAvailable, .hasSpaceAvailable: isReadinessTold = true
        case .errorOccurred, .endEncountered: isEndTold = true
        }
    }

    /// The event that is due in a stream of this state: first that it is open, then that it is
    /// `ready`, and last how it ended.
    func due(ready: ChannelBuffers.Event?, end: ChannelBuffers.Event?) -> ChannelBuffers.Event? {
        guard isOpen else { return nil }
        if !isOpeningTold { return .openCompleted }
        if let ready, !isReadinessTold { return ready }
        if let end, !isEndTold { return end }
        return nil
    }
}

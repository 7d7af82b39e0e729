// SPDX-License-Identifier: Apache-2.0

/// The phase of a stream, and the events that its delegate has received.
struct StreamProgress: Equatable, Sendable {
    private enum Phase {
        case notOpen
        case open
        case closed
    }

    private var phase = Phase.notOpen
    private var isOpeningTold = false
    private var isEndTold = false
    /// Whether the delegate received a readiness event, and the application has not read or written
    /// since.
    private(set) var isReadinessTold = false

    var isOpen: Bool { phase == .open }
    var isClosed: Bool { phase == .closed }

    /// Opens a stream that was never open. A closed stream stays closed.
    mutating func open() {
        if phase == .notOpen { phase = .open }
    }

    mutating func close() {
        phase = .closed
    }

    /// Notes that the application has read or written: the delegate then gets the next readiness
    /// event.
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

    /// Returns the event that the delegate has to receive: first `openCompleted`, then `ready`, and
    /// last `end`.
    func due(ready: ChannelBuffers.Event?, end: ChannelBuffers.Event?) -> ChannelBuffers.Event? {
        guard isOpen else { return nil }
        if !isOpeningTold { return .openCompleted }
        if let ready, !isReadinessTold { return ready }
        if let end, !isEndTold { return end }
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The phase of a stream, and the events that its delegate has received.
struct StreamProgress: Equatable, Sendable {
    private enum Phase {
        case notOpen
        case open
        case closed
    }

    private var phase = Phase.notOpen
    private var isOpeningReported = false
    private var isEndReported = false
    /// Whether the delegate received a readiness event, and the application has not read or written
    /// since.
    private(set) var isReadinessReported = false

    var isOpen: Bool { phase == .open }
    var isClosed: Bool { phase == .closed }

    /// Opens a stream that was never open. A closed stream stays closed.
    mutating func open() {
        if phase == .notOpen { phase = .open }
    }

    mutating func close() {
        phase = .closed
    }

    /// Records that the application has read or written: the delegate then gets the next readiness
    /// event.
    mutating func used() {
        isReadinessReported = false
    }

    mutating func reported(_ event: ChannelBuffers.Event) {
        switch event {
        case .openCompleted: isOpeningReported = true
        case .hasBytesAvailable, .hasSpaceAvailable: isReadinessReported = true
        case .errorOccurred, .endEncountered: isEndReported = true
        }
    }

    /// Returns the event that the delegate has to receive: first `openCompleted`, then `ready`, and
    /// last `end`.
    func due(ready: ChannelBuffers.Event?, end: ChannelBuffers.Event?) -> ChannelBuffers.Event? {
        guard isOpen else { return nil }
        if !isOpeningReported { return .openCompleted }
        if let ready, !isReadinessReported { return ready }
        if let end, !isEndReported { return end }
        return nil
    }
}

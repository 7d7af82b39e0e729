// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The buffers of an L2CAP channel, between the application's streams and the host.
///
/// It is a value without locks, threads or run loops. The operations of the application's streams
/// change it with `open(_:)`, `close(_:)`, `read(upTo:)`, `write(_:)` and `release()`. The results
/// of the host's operations change it with `received(_:)`, `receivingEnded(_:)`, `sent()` and
/// `ended(_:)`. After each change, the caller performs the actions that `nextAction()` returns, and
/// reports to the streams' delegates the events that `nextEvent(of:)` returns, until both return
/// `nil`.
///
/// Both directions are bounded: see `ChannelLimits`.
package struct ChannelBuffers: Equatable, Sendable {
    /// One of the two streams.
    package enum Side: CaseIterable, Sendable {
        case input
        case output
    }

    /// An operation for the host. The results of operations of the same kind come in order.
    enum Action: Equatable, Sendable {
        /// Results in `received(_:)` or `receivingEnded(_:)`.
        case receive
        /// Results in `sent()` or `ended(_:)`.
        case send([UInt8])
        /// Results in `ended(_:)` when the channel has closed.
        case close
    }

    /// An event for a stream's delegate.
    package enum Event: Equatable, Sendable {
        case openCompleted
        case hasBytesAvailable
        case hasSpaceAvailable
        case errorOccurred
        case endEncountered
    }

    /// The status of a stream.
    package enum Status: Equatable, Sendable {
        case notOpen
        case open
        case atEnd
        case failed(ClientError.Code)
        case closed
    }

    let limits: ChannelLimits
    var input = Input()
    var output = Output()
    /// The reason for the channel's end; `nil` while it is open. The output stream fails at once.
    /// The input stream ends when the application has read all received bytes.
    package private(set) var end: ChannelEnd?
    /// Whether the application has released the channel.
    private(set) var isReleased = false
    private var isCloseIssued = false

    init(limits: ChannelLimits) {
        self.limits = limits
    }

    // MARK: Methods of the application

    package mutating func open(_ side: Side) {
        switch side {
        case .input: input.progress.open()
        case .output: output.progress.open()
        }
    }

    /// Closes one stream. Closing the input stream drops the received bytes. Closing the output
    /// stream does not drop the written bytes, which are still sent. The channel closes when both
    /// streams are closed and the written bytes were sent.
    package mutating func close(_ side: Side) {
        switch side {
        case .input:
            input.progress.close()
            input.received.removeAll()
        case .output: output.progress.close()
        }
    }

    /// Marks the channel as released: it closes after all written bytes were sent.
    package mutating func release() {
        isReleased = true
        if input.end == nil { input.end = .closedHere }
    }

    // MARK: Methods of the host

    /// Handles the end of the channel. Sending ends at once. Receiving ends with
    /// `receivingEnded(_:)`.
    mutating func ended(_ end: ChannelEnd) {
        if self.end == nil { self.end = end }
        output.pending.removeAll()
        output.inFlight.removeAll()
    }

    // MARK: Outputs

    /// Whether `nextAction()` returns an action.
    var isActionDue: Bool { isReceiveDue || isSendDue || isCloseDue }

    /// Returns the next operation for the host; `nil` if there is none now.
    mutating func nextAction() -> Action? {
        if isReceiveDue {
            input.isReceiving = true
            return .receive
        }
        if isSendDue { return .send(output.takeSDU(limits)) }
        guard isCloseDue else { return nil }
        isCloseIssued = true
        return .close
    }

    private var isReceiveDue: Bool { !isReleased && input.hasRoomForSDU(limits) }
    private var isSendDue: Bool { end == nil && output.isSDUDue(limits) }

    /// Whether to close the channel: the application does not use it, and all written bytes were
    /// sent.
    private var isCloseDue: Bool {
        let isUnwanted = isReleased || (input.progress.isClosed && output.progress.isClosed)
        return isUnwanted && end == nil && output.isDrained && !isCloseIssued
    }

    /// Returns the next event for a stream's delegate; `nil` if there is none.
    package mutating func nextEvent(of side: Side) -> Event? {
        guard let event = dueEvent(of: side) else { return nil }
        switch side {
        case .input: input.progress.reported(event)
        case .output: output.progress.reported(event)
        }
        return event
    }

    func dueEvent(of side: Side) -> Event? {
        switch side {
        case .input: input.dueEvent
        case .output: output.dueEvent(freeSpace: freeSpace, status: status(of: .output))
        }
    }

    /// Returns the error with which a stream has failed; `nil` if it has not failed.
    package func failure(of side: Side) -> ClientError? {
        if case .failed(let code) = status(of: side) { .failed(code) } else { nil }
    }

    package func status(of side: Side) -> Status {
        switch side {
        case .input: return input.status
        case .output:
            guard output.progress.isOpen else {
                return output.progress.isClosed ? .closed : .notOpen
            }
            if let end { return .failed(end.code) }
            return isReleased ? .failed(ChannelEnd.closedHere.code) : .open
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The two directions of an L2CAP channel, between the streams of an application and the host.
///
/// A value without locks, threads or run loops. The application's half of the methods is what its
/// streams are asked to do; the host's half is what became of the orders. Whoever changes it then
/// performs `nextOrder()` until there is none, and tells the streams' delegates `nextEvent` until
/// there is none.
///
/// Both directions are bounded, so neither side can be flooded: see `ChannelLimits`.
struct ChannelBuffers: Equatable, Sendable {
    /// One of the two streams.
    enum Side: CaseIterable, Sendable {
        case input
        case output
    }

    /// What the host is to do. Each but `close` is answered, in order.
    enum Order: Equatable, Sendable {
        /// Answered by `received(_:)` or `receivingEnded(_:)`.
        case receive
        /// Answered by `sent()`, or `ended(_:)`.
        case send([UInt8])
        /// Answered by `ended(_:)`.
        case close
    }

    /// What a stream's delegate is to be told.
    enum Event: Equatable, Sendable {
        case openCompleted
        case hasBytesAvailable
        case hasSpaceAvailable
        case errorOccurred
        case endEncountered
    }

    /// Where a stream is in its life.
    enum Status: Equatable, Sendable {
        case notOpen
        case open
        case atEnd
        case failed(CBError.Code)
        case closed
    }

    let limits: ChannelLimits
    var input = Input()
    var output = Output()
    /// How the channel ended, as far as the output is concerned: the input first gives out what
    /// came before.
    private(set) var end: ChannelEnd?
    /// Whether the application has let go of the channel.
    private(set) var isReleased = false
    private var isCloseOrdered = false

    init(limits: ChannelLimits) {
        self.limits = limits
    }

    // MARK: The application

    mutating func open(_ side: Side) {
        switch side {
        case .input: input.life.open()
        case .output: output.life.open()
        }
    }

    /// Closes one stream. What was written before still leaves; what was not read is dropped. With
    /// both closed the channel is.
    mutating func close(_ side: Side) {
        switch side {
        case .input:
            input.life.close()
            input.received.removeAll()
        case .output: output.life.close()
        }
    }

    /// The application lets go of the channel: it closes once what was written has left.
    mutating func release() {
        isReleased = true
        if input.end == nil { input.end = .closedHere }
    }

    // MARK: The host

    /// The channel is over. Sending ends at once; receiving when the host says so.
    mutating func ended(_ end: ChannelEnd) {
        if self.end == nil { self.end = end }
        output.pending.removeAll()
        output.inFlight.removeAll()
    }

    // MARK: Outputs

    /// Whether `nextOrder()` has something.
    var isOrderDue: Bool { isReceiveDue || isSendDue || isCloseDue }

    /// The next thing for the host to do; nil if there is nothing to do now.
    mutating func nextOrder() -> Order? {
        if isReceiveDue {
            input.isReceiving = true
            return .receive
        }
        if isSendDue { return .send(output.takeSDU(limits)) }
        guard isCloseDue else { return nil }
        isCloseOrdered = true
        return .close
    }

    private var isReceiveDue: Bool { !isReleased && input.isRoomForSDU(limits) }
    private var isSendDue: Bool { end == nil && output.isSDUDue(limits) }

    /// A channel that nobody wants is closed once all that was written has left.
    private var isCloseDue: Bool {
        let isUnwanted = isReleased || (input.life.isClosed && output.life.isClosed)
        return isUnwanted && end == nil && output.isDrained && !isCloseOrdered
    }

    /// The next thing to tell a stream's delegate; nil if nothing is new.
    mutating func nextEvent(of side: Side) -> Event? {
        guard let event = dueEvent(of: side) else { return nil }
        switch side {
        case .input: input.life.told(event)
        case .output: output.life.told(event)
        }
        return event
    }

    func dueEvent(of side: Side) -> Event? {
        switch side {
        case .input: input.dueEvent
        case .output: output.dueEvent(room: room, status: status(of: .output))
        }
    }

    func status(of side: Side) -> Status {
        switch side {
        case .input: return input.status
        case .output:
            guard output.life.isOpen else { return output.life.isClosed ? .closed : .notOpen }
            if let end { return .failed(end.code) }
            return isReleased ? .failed(ChannelEnd.closedHere.code) : .open
        }
    }
}

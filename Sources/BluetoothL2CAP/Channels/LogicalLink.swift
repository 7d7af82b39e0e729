// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// L2CAP on one LE link: signaling, and the credit-based channels that it creates (Vol 3, Part A, 4
/// and 10).
///
/// Both sides can request channels, in either mode. `LogicalLink+Opening` processes the requests of
/// the local host, and `LogicalLink+Accepting` those of the peer. `LogicalLink+Data` transfers
/// SDUs, `LogicalLink+Reconfiguring` changes sizes, and `LogicalLink+Ending` ends channels.
///
/// The host pulls the frames to send: whenever the controller has a free buffer,
/// `nextUrgentFrame()` returns commands and then credits, and `nextDataFrame()` returns frames of
/// the channels in turn. Nothing grows without a bound, whatever the peer sends: `channelLimit`
/// bounds the peer's channels, `answerLimit` bounds the waiting responses, and the peer's credits
/// bound the bytes on each channel.
package struct LogicalLink: Sendable {
    /// The maximum number of channels on a link, including those that are opening or closing.
    ///
    /// This is half of the available identifiers, so that a new channel rarely gets an identifier
    /// that was released just before.
    package static let channelLimit = 32

    /// The maximum number of responses that wait for a free buffer in the controller. A peer that
    /// does not receive them gets no response to further requests.
    package static let answerLimit = 16

    /// The range of identifiers for credit-based channels on LE (Vol 3, Part A, Table 2.3).
    package static let channelRange: ClosedRange<UInt16> = 0x0040...0x007F

    /// The identifier of a request, which the host chooses.
    package typealias RequestID = UInt64

    /// An instruction or a report to the host.
    package enum Action: Equatable, Sendable {
        /// The peripheral requests these connection parameters. Decide, and call
        /// `respond(to:accepting:)`.
        case decide(ConnectionParametersRequest, Signaling.Identifier)
        /// The local request for other connection parameters has ended.
        case parametersEnded(SignalingChannel.RequestEnd)
        /// All or some of the requested channels are open.
        case opened(RequestID, [ChannelIdentifier])
        /// None of the requested channels is open.
        case refused(RequestID, L2CAP.Failure)
        /// The peer has opened these channels.
        case accepted(L2CAP.SPSM, [ChannelIdentifier])
        /// An SDU is ready to be taken.
        case arrived(ChannelIdentifier)
        /// An SDU is sent.
        case sent(RequestID)
        /// An SDU will not be sent.
        case abandoned(RequestID, L2CAP.Failure)
        /// The peer changed the sizes that it accepts.
        case resized(ChannelIdentifier)
        /// The request for other sizes has ended.
        case reconfigured(RequestID, L2CAP.ReconfigurationEnd)
        /// The channel has ended. `unread` contains the SDUs that were not taken.
        case closed(ChannelIdentifier, L2CAP.Failure, unread: [[UInt8]])
        /// The peer has confirmed the end of a channel that the local host closed, which also
        /// confirms all data sent on it before. The action also occurs if the peer rejects the
        /// request, does not respond in time, or requests the end itself.
        case released(ChannelIdentifier)
        /// No action is necessary.
        case ignore(IgnoreReason)
    }

    /// The reason why received data has no effect.
    package enum IgnoreReason: Equatable, Sendable {
        case command(SignalingChannel.IgnoreReason)
        /// A frame or a grant of credits is for a channel that does not exist, or no longer exists.
        case noSuchChannel(ChannelIdentifier)
        /// The peer's request states a wrong identifier for the peer's end of the channel.
        case wrongEnd(ChannelIdentifier)
        /// A command grants zero credits.
        case noCredits(ChannelIdentifier)
    }

    /// A request for channels by the local host that has no final response yet.
    struct Opening: Sendable {
        let id: RequestID
        let options: L2CAP.ChannelOptions
        /// Whether the host canceled the request. Its channels are then closed as soon as they
        /// open.
        var isCancelled = false
    }

    var signaling: SignalingChannel
    /// Commands that wait for a free buffer in the controller.
    private var commands: [[UInt8]] = []
    /// The number of waiting commands that are responses.
    private var answerCount = 0
    /// The channels, in the order in which their identifiers were assigned.
    var channels: [CreditBasedChannel] = []
    /// The index at which the search for the next frame begins.
    var turn = 0
    var openings: [Signaling.Identifier: Opening] = [:]
    var reconfiguration: Reconfiguration?
    /// The channels that the local host has requested to close.
    var disconnections: [Signaling.Identifier: ChannelIdentifier] = [:]
    /// The identifier that was assigned last.
    private var lastChannel = Self.channelRange.upperBound

    package init(role: SignalingChannel.Role) {
        signaling = SignalingChannel(role: role, servesChannels: true)
    }

    /// Processes the payload of a frame that arrived on the signaling channel.
    ///
    /// - Parameter conditions: The current conditions for channels that the peer requests.
    package mutating func receiveSignaling(
        _ payload: ArraySlice<UInt8>,
        under conditions: ChannelConditions,
        now: Instant
    ) -> [Action] {
        perform(signaling.receive(payload, now: now), under: conditions, now: now)
    }

    private mutating func perform(
        _ action: SignalingChannel.Action,
        under conditions: ChannelConditions,
        now: Instant
    ) -> [Action] {
        switch action {
        case .send(let answer): queueAnswer(answer)
        case .decide(let parameters, let identifier): return [.decide(parameters, identifier)]
        case .requestEnded(let end): return [.parametersEnded(end)]
        case .ignore(let reason): return [.ignore(.command(reason))]
        case .asked(let request, let identifier):
            return serve(request, identifier, under: conditions, now: now)
        case .answered(let answer, let identifier):
            return receive(answer, to: identifier, now: now)
        }
        return []
    }

    private mutating func serve(
        _ request: Signaling.ChannelRequest,
        _ identifier: Signaling.Identifier,
        under conditions: ChannelConditions,
        now: Instant
    ) -> [Action] {
        switch request {
        case .connect(let request): accept(request, identifier, under: conditions)
        case .connectSeveral(let request): accept(request, identifier, under: conditions)
        case .reconfigure(let request): accept(request, identifier)
        case .disconnect(let request): accept(request, identifier)
        case .credit(let credit): receive(credit, now: now)
        }
    }

    private mutating func receive(
        _ answer: Signaling.ChannelAnswer,
        to identifier: Signaling.Identifier,
        now: Instant
    ) -> [Action] {
        if openings[identifier] != nil {
            return openingAnswered(answer, identifier, now: now)
        }
        if reconfiguration?.identifier == identifier { return reconfigurationAnswered(answer) }
        return disconnectionAnswered(answer, identifier)
    }

    /// Responds to a request that the host had to decide, if the request is still outstanding.
    package mutating func respond(to identifier: Signaling.Identifier, accepting: Bool) {
        guard let answer = signaling.respond(to: identifier, accepting: accepting)
        else { return }
        queueAnswer(answer)
    }

    /// Requests other connection parameters from the central. Only a peripheral may call this.
    ///
    /// - Returns: `false` if the previous request has no response yet, or too many requests are
    ///   outstanding.
    package mutating func request(
        _ parameters: ConnectionParametersRequest,
        now: Instant
    ) -> Bool {
        guard let payload = signaling.request(parameters, now: now) else { return false }
        commands.append(payload)
        return true
    }

    /// The time at which an outstanding request times out, or `nil` if there is none.
    package var nextDeadline: Instant? { signaling.nextDeadline }

    /// Ends the requests whose deadline has passed.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        signaling.deadlinePassed(now: now).flatMap { action in
            perform(action, under: ChannelConditions(), now: now)
        }
    }
}

// Helpers for the extensions in other files.
extension LogicalLink {
    /// Enqueues a request and returns its identifier, or `nil` if too many requests are
    /// outstanding.
    mutating func ask(
        _ request: some Signaling.Parameters,
        now: Instant
    ) -> Signaling.Identifier? {
        guard let (identifier, payload) = signaling.ask(request, now: now) else { return nil }
        commands.append(payload)
        return identifier
    }

    mutating func queueAnswer(_ payload: [UInt8]) {
        guard answerCount < Self.answerLimit else { return }
        answerCount += 1
        commands.append(payload)
    }

    mutating func nextCommand() -> [UInt8]? {
        guard !commands.isEmpty else { return nil }
        let command = commands.removeFirst()
        if Signaling.Code(rawValue: command[0]).isResponse { answerCount -= 1 }
        return command
    }

    func index(of channel: ChannelIdentifier) -> Int? {
        channels.firstIndex { $0.local == channel }
    }

    /// Returns whether the peer's end of another channel already has this identifier.
    func isTaken(remote: ChannelIdentifier) -> Bool {
        channels.contains { $0.remote == remote }
    }

    var freeChannelCount: Int { max(0, Self.channelLimit - channels.count) }

    /// Returns an identifier for the local end of a new channel. Identifiers are assigned in
    /// ascending order, and from the beginning again after the end of the range. Those in use are
    /// skipped.
    ///
    /// Call this only if `freeChannelCount` is not zero.
    mutating func takeIdentifier() -> ChannelIdentifier {
        repeat {
            lastChannel =
                lastChannel == Self.channelRange.upperBound
                ? Self.channelRange.lowerBound : lastChannel + 1
        } while index(of: ChannelIdentifier(rawValue: lastChannel)) != nil
        return ChannelIdentifier(rawValue: lastChannel)
    }
}

extension ChannelIdentifier {
    /// Whether a channel that signaling creates can have this identifier.
    package var isDynamic: Bool { LogicalLink.channelRange.contains(rawValue) }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// L2CAP on one LE link: signalling, and the channels with credits that it sets up
/// (Vol 3, Part A, 4 and 10).
///
/// Both sides can ask for channels, in either mode: `LogicalLink+Opening` is about those that we
/// ask for, `LogicalLink+Accepting` about the peer's. `LogicalLink+Data` moves SDUs,
/// `LogicalLink+Reconfiguring` changes sizes, and `LogicalLink+Ending` ends channels.
///
/// Sending is pulled: `nextFrame(now:)` gives up one frame whenever the controller has room. Commands
/// go first, then credits, then the channels in turn, frame by frame. Nothing here grows without a
/// bound, whatever the peer sends: it has as many channels as `channelLimit`, as many answers as
/// `answerLimit`, and on each channel as many octets as its credits allow.
package struct LogicalLink: Sendable {
    /// How many channels a link can have, those being opened or closed included: half of the
    /// identifiers that there are, so that one is not used again soon.
    package static let channelLimit = 32

    /// How many answers to the peer's requests may wait for room in the controller. One that asks
    /// faster than it listens gets no more.
    package static let answerLimit = 16

    /// The identifiers that channels on LE can have (Vol 3, Part A, Table 2.3).
    package static let channelRange: ClosedRange<UInt16> = 0x0040...0x007F

    /// Names a wish of our owner's, who chooses the number.
    package typealias RequestID = UInt64

    /// What is to be done, or known.
    package enum Action: Equatable, Sendable {
        /// The Peripheral asks for these parameters: decide, and call `respond(to:accepting:)`.
        case decide(ConnectionParametersRequest, Signalling.Identifier)
        /// Our request for other parameters has ended.
        case parametersEnded(SignallingChannel.RequestEnd)
        /// The channels are open that we asked for, or some of them.
        case opened(RequestID, [ChannelIdentifier])
        /// None of the channels was opened.
        case refused(RequestID, L2CAP.Failure)
        /// The peer has opened these channels.
        case accepted(L2CAP.SPSM, [ChannelIdentifier])
        /// An SDU waits to be taken.
        case arrived(ChannelIdentifier)
        /// An SDU of ours has left.
        case sent(RequestID)
        /// An SDU of ours will never leave.
        case abandoned(RequestID, L2CAP.Failure)
        /// The peer takes other sizes than before.
        case resized(ChannelIdentifier)
        /// The sizes that we asked for hold, or why they do not.
        case reconfigured(RequestID, L2CAP.ReconfigurationEnd)
        /// The channel has ended, with these SDUs not taken.
        case closed(ChannelIdentifier, L2CAP.Failure, unread: [[UInt8]])
        /// The peer has confirmed the end of a channel that we closed, and so all that was sent on
        /// it before; or it did not in the time allowed.
        case released(ChannelIdentifier)
        /// Nothing is to be done.
        case ignore(IgnoreReason)
    }

    /// Why something that arrived has no effect.
    package enum IgnoreReason: Equatable, Sendable {
        case command(SignallingChannel.IgnoreReason)
        /// A frame, or a command that nobody answers, for a channel that is not there (any more).
        case noSuchChannel(ChannelIdentifier)
        /// The other end that the peer names is not the channel's.
        case wrongEnd(ChannelIdentifier)
        /// No credits were given.
        case noCredits(ChannelIdentifier)
    }

    /// Channels that we asked for by one request.
    struct Opening: Sendable {
        let id: RequestID
        let options: L2CAP.ChannelOptions
        /// Whether our owner does not want them any more: they are closed as soon as they open.
        var isCancelled = false
    }

    var signalling: SignallingChannel
    /// Commands that wait for room in the controller.
    private var commands: [[UInt8]] = []
    /// How many of them answer the peer.
    private var answerCount = 0
    /// In the order of their identifiers' use.
    var channels: [CreditBasedChannel] = []
    /// Which channel's turn it is to send a frame.
    var turn = 0
    var openings: [Signalling.Identifier: Opening] = [:]
    var reconfiguration: Reconfiguration?
    /// The channels that we have asked the peer to close.
    var disconnections: [Signalling.Identifier: ChannelIdentifier] = [:]
    /// The identifier that was used last.
    private var lastChannel = Self.channelRange.upperBound

    package init(role: SignallingChannel.Role) {
        signalling = SignallingChannel(role: role, servesChannels: true)
    }

    /// Takes in the payload of a frame that came on the signalling channel, under the conditions
    /// that hold now.
    package mutating func receiveSignalling(
        _ payload: ArraySlice<UInt8>,
        under conditions: ChannelConditions,
        now: Instant
    ) -> [Action] {
        perform(signalling.receive(payload, now: now), under: conditions, now: now)
    }

    private mutating func perform(
        _ action: SignallingChannel.Action,
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
        _ request: Signalling.ChannelRequest,
        _ identifier: Signalling.Identifier,
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
        _ answer: Signalling.ChannelAnswer,
        to identifier: Signalling.Identifier,
        now: Instant
    ) -> [Action] {
        if openings[identifier] != nil {
            return openingAnswered(answer, identifier, now: now)
        }
        if reconfiguration?.identifier == identifier { return reconfigurationAnswered(answer) }
        return disconnectionAnswered(answer, identifier)
    }

    /// Answers a request that was to be decided, if it is still there.
    package mutating func respond(to identifier: Signalling.Identifier, accepting: Bool) {
        guard let answer = signalling.respond(to: identifier, accepting: accepting)
        else { return }
        queueAnswer(answer)
    }

    /// Asks the Central for other parameters; only a Peripheral may. False if the request before
    /// has no answer yet.
    package mutating func request(
        _ parameters: ConnectionParametersRequest,
        now: Instant
    ) -> Bool {
        guard let payload = signalling.request(parameters, now: now) else { return false }
        commands.append(payload)
        return true
    }

    /// When one of our requests will have waited too long; nil if there is none.
    package var nextDeadline: Instant? { signalling.nextDeadline }

    /// Tells that it is `now`.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        signalling.deadlinePassed(now: now).flatMap { action in
            perform(action, under: ChannelConditions(), now: now)
        }
    }
}

// What the extensions in other files share.
extension LogicalLink {
    /// Sends a request of ours; nil if too many have no answer.
    mutating func ask(
        _ request: some Signalling.Parameters,
        now: Instant
    ) -> Signalling.Identifier? {
        guard let (identifier, payload) = signalling.ask(request, now: now) else { return nil }
        commands.append(payload)
        return identifier
    }

    mutating func queueAnswer(_ payload: [UInt8]) {
        guard answerCount < Self.answerLimit else { return }
        answerCount += 1
        commands.append(payload)
    }

    var hasCommand: Bool { !commands.isEmpty }

    mutating func nextCommand() -> [UInt8]? {
        guard !commands.isEmpty else { return nil }
        let command = commands.removeFirst()
        if Signalling.Code(rawValue: command[0]).isResponse { answerCount -= 1 }
        return command
    }

    func index(of channel: ChannelIdentifier) -> Int? {
        channels.firstIndex { $0.local == channel }
    }

    /// Whether the peer has given this identifier to another channel.
    func isTaken(remote: ChannelIdentifier) -> Bool {
        channels.contains { $0.remote == remote }
    }

    var room: Int { max(0, Self.channelLimit - channels.count) }

    /// An identifier for our end of a new channel: the one that has been free the longest. Call
    /// only where there is `room`.
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
    /// Whether a channel that was set up by signalling can have it.
    package var isDynamic: Bool { LogicalLink.channelRange.contains(rawValue) }
}

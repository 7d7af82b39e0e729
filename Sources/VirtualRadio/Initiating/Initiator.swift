// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Whom a controller wants to connect to (Vol 6, Part B, 4.4.4).
///
/// An initiator listens like a scanner, with a plan of its own that goes before the scanner's. The
/// first connectable advertisement of a device that it is after, it answers with a connection
/// request, the *attempt*. In legacy advertising that is all, and the link is taken as made; in
/// extended advertising the advertiser has to answer, and if it does not, initiating goes on.
///
/// Of the range of connection intervals that a host allows it takes the shortest, as most
/// controllers do.
package struct Initiator: Sendable {
    /// How many announced packets can be waited for at a time.
    static let followLimit = 4

    /// What the host has asked for; nil while nothing.
    var request: InitiatingRequest?
    /// Where the radio is; nil while it does not initiate.
    var plan: ListeningPlan?
    /// The packets that are waited for on secondary channels.
    var follows: [AuxiliaryFollow] = []
    /// The connection request that is on the air, or waits for its answer.
    var attempt: ConnectionAttempt?

    /// Whether a link is being made.
    package var isActive: Bool { request != nil }

    init() {}

    /// The initiating commands (Vol 4, Part E, 7.8.12, 7.8.13, 7.8.66).
    static let handlers: [CommandHandler] = [
        .beginning(HCI.LECreateConnection.self, in: .legacy) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.initiate(try InitiatingRequest(command), &ether)
        },
        .beginning(HCI.LEExtendedCreateConnection.self, in: .extended) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.initiate(try InitiatingRequest(command), &ether)
        },
        .completing(HCI.LECreateConnectionCancel.self) {
            (controller, _, ether) throws(HCI.ErrorCode) -> Void in
            guard controller.initiator.isActive else { throw .commandDisallowed }
            controller.stopInitiating(&ether)
            ether.tellHost(
                ofNoLink: .unknownConnectionIdentifier,
                .central,
                controller.radio
            )
        },
    ]
}

/// A connection request that was sent.
struct ConnectionAttempt: Sendable {
    /// The link that it asks for.
    let link: LinkID
    /// Who the two will be.
    let identity: LinkIdentity
    /// The name of the timer that ends the wait for an answer.
    let token: UInt64
    /// The timer, once the request has been sent, if there is to be an answer.
    var timer: EventToken?
}

extension VirtualController {
    fileprivate mutating func initiate(
        _ request: InitiatingRequest,
        _ ether: inout Ether
    ) throws(HCI.ErrorCode) {
        guard !initiator.isActive else { throw .commandDisallowed }
        try checkOwnAddress(for: request)
        if let peer = request.peer, ether.hasLink(radio, to: peer) {
            throw .connectionAlreadyExists
        }
        guard ether.linkCount(of: radio) < configuration.linkLimit else {
            throw .connectionLimitExceeded
        }
        initiator.request = request
        initiator.plan = ListeningPlan(
            start: ether.now,
            uncoded: request.uncoded?.timing,
            coded: request.coded?.timing
        )
        updateAttention(&ether)
    }

    /// Throws Invalid HCI Command Parameters if there is no address to send from. Who makes one for
    /// the peer, or may be after several peers, needs no random address of the host (Vol 4, Part E,
    /// 7.8.12).
    private func checkOwnAddress(for request: InitiatingRequest) throws(HCI.ErrorCode) {
        let type = request.ownAddressType
        if type.prefersPrivate {
            guard let peer = request.peer, privateAddress(type, toward: peer) == nil else { return }
        }
        try checkIsSet(type)
    }

    /// Ends initiating, without a word to the host, and gives up what has been attempted. Nothing
    /// happens if it does not initiate.
    mutating func stopInitiating(_ ether: inout Ether) {
        if var attempt = initiator.attempt {
            ether.cancel(&attempt.timer)
            ether.abandonLink(attempt.link)
        }
        for index in initiator.follows.indices { ether.cancel(&initiator.follows[index].timer) }
        initiator = Initiator()
        updateAttention(&ether)
    }
}

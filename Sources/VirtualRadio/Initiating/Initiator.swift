// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The initiator of a controller (Vol 6, Part B, 4.4.4).
///
/// The initiator listens like a scanner, with its own plan, which takes precedence over the
/// scanner's. It answers the first connectable advertisement of a requested device with a
/// connection request, the *attempt*. A legacy request creates the link. The advertiser must answer
/// an extended request, and without an answer initiating continues.
///
/// The initiator uses the shortest connection interval that the host allows, as most controllers
/// do.
package struct Initiator: Sendable {
    /// The maximum number of packets that the initiator waits for at one time.
    static let followLimit = 4

    /// The host's request; `nil` without one.
    var request: InitiatingRequest?
    /// The listening plan; `nil` while the controller does not initiate.
    var plan: ListeningPlan?
    /// The packets that are awaited on secondary channels.
    var follows: [AuxiliaryFollow] = []
    /// The connection request that is on the air, or awaits its answer.
    var attempt: ConnectionAttempt?

    /// Whether the controller initiates.
    package var isActive: Bool { request != nil }

    init() {}

    /// The handlers of the initiating commands (Vol 4, Part E, 7.8.12, 7.8.13, 7.8.66).
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
            ether.reportFailureToHost(
                .unknownConnectionIdentifier,
                .central,
                controller.radio
            )
        },
    ]
}

/// A connection request that was sent.
struct ConnectionAttempt: Sendable {
    /// The requested link.
    let link: LinkID
    /// The identities at both ends.
    let identity: LinkIdentity
    /// The identity of the timer that ends the wait for an answer.
    let token: UInt64
    /// The timer, which runs from the end of a request that needs an answer.
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
        updateListener(&ether)
    }

    /// Checks that there is an address to send from. With a type that prefers private addresses,
    /// the host need not set a random address if the controller makes a private address for the
    /// peer, or if the request is for the Filter Accept List (Vol 4, Part E, 7.8.12).
    ///
    /// - Throws: `invalidCommandParameters` if there is no address.
    private func checkOwnAddress(for request: InitiatingRequest) throws(HCI.ErrorCode) {
        let type = request.ownAddressType
        if type.prefersPrivate {
            guard let peer = request.peer, privateAddress(type, toward: peer) == nil else { return }
        }
        try checkIsSet(type)
    }

    /// Stops initiating and abandons the attempt, without an event to the host. Does nothing if the
    /// controller does not initiate.
    mutating func stopInitiating(_ ether: inout Ether) {
        if var attempt = initiator.attempt {
            ether.cancel(&attempt.timer)
            ether.abandonLink(attempt.link)
        }
        for index in initiator.follows.indices { ether.cancel(&initiator.follows[index].timer) }
        initiator = Initiator()
        updateListener(&ether)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

// A link's Security Manager: PDUs to and from its channel, questions to and from the application, the
// keys that come of it to the controller and to the bonds.
extension HostCore {
    private static let pairingRequest: UInt8 = 0x01
    private static let pairingFailed: UInt8 = 0x05
    /// From Encryption Information to Signing Information (Vol 3, Part H, 3.6.1).
    private static let keyDistribution: ClosedRange<UInt8> = 0x06...0x0A

    /// Lets the Security Manager of a link do something, and carries out what it wants.
    mutating func manage(
        _ handle: ConnectionHandle,
        now: Instant,
        _ body: (inout SecurityManager, inout Randomness)
            -> [SecurityManager.Action]
    ) {
        guard let link = links[handle] else { return }
        var manager = link.protection.manager ?? SecurityManager(context(of: link))
        manager.policyForPeer = policyForPeers
        let mustWait = attempts.waitLeft(for: link.identity, now: now) != nil
        manager.refusalForPeer = mustWait ? .repeatedAttempts : nil
        manager.existingBond = link.bond?.security(isEncrypted: true)
        let actions = body(&manager, &randomness)
        links[handle]?.protection.manager = manager
        for action in actions { perform(action, on: handle, now: now) }
        pump(handle, now: now)
    }

    private func context(of link: LinkState) -> SecurityManager.Context {
        SecurityManager.Context(
            isCentral: link.role == .central,
            localAddress: link.localAddress,
            peerAddress: link.peer,
            identity: localIdentity
        )
    }

    /// What pairings may come to that peers begin; nil: there are none.
    var policyForPeers: Pairing.Policy? {
        let isAllowed = configuration.acceptsPairing && configuration.pairingDelegate != nil
        return isAllowed ? configuration.peerPairing ?? configuration.pairing : nil
    }

    /// The peer says something on the Security Manager's channel.
    mutating func receiveSecurity(
        _ payload: ArraySlice<UInt8>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle], !link.isDisconnecting else { return }
        guard link.protection.outgoing.count < LinkProtection.outgoingLimit else {
            return emit(.log("ignored a peer that asks faster than it takes answers"))
        }
        guard payload.first == Self.pairingRequest, link.role == .peripheral else {
            return hand(payload, on: handle, now: now)
        }
        pairingAsked(payload, on: handle, now: now)
    }

    /// The peer asks for a pairing, which is nothing to answer quickly where keys are at stake.
    private mutating func pairingAsked(
        _ request: ArraySlice<UInt8>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle], link.protection.loss == nil else { return }
        guard link.isSealed, !link.isAgreedAnew, let bond = link.bond else {
            return hand(request, on: handle, now: now)
        }
        // A request of ours may be open, which would let it through.
        guard attempts.waitLeft(for: link.identity, now: now) == nil else {
            return refusePairing(.repeatedAttempts, on: handle, now: now)
        }
        bondLost(bond, then: .receive(Array(request)), on: handle, now: now)
    }

    mutating func hand(
        _ pdu: ArraySlice<UInt8>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        manage(handle, now: now) { manager, generator in
            manager.receive(pdu, using: &generator, now: now)
        }
    }

    mutating func refusePairing(
        _ reason: Pairing.FailureReason,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard links[handle]?.protection.manager?.isSilenced != true else { return }
        let refusal = [Self.pairingFailed, reason.rawValue]
        links[handle]?.protection.outgoing.append(
            L2CAPFrame.encode(refusal, on: .securityManager)
        )
        pump(handle, now: now)
    }

    /// What goes out on the Security Manager's channel next.
    mutating func nextSecurityFrame(of handle: ConnectionHandle) -> [UInt8]? {
        guard links[handle]?.protection.outgoing.isEmpty == false,
            let frame = links[handle]?.protection.outgoing.removeFirst()
        else { return nil }
        if Self.carriesKey(frame) {
            links[handle]?.protection.lastKeyEnd = transmitQueue.end(of: frame, on: handle)
        }
        return frame
    }

    /// Whether keys that a bonded peer is to have may not have reached it yet: the Central's come last in
    /// a pairing, and are on their way when it is over for us (Vol 3, Part H, 3.6.1).
    func hasKeysUnderWay(_ handle: ConnectionHandle) -> Bool {
        guard let link = links[handle], link.bond != nil, link.security.isEncrypted else {
            return false
        }
        return link.protection.outgoing.contains(where: Self.carriesKey)
            || !transmitQueue.hasPassed(link.protection.lastKeyEnd, on: handle)
    }

    /// Whether a frame of the Security Manager's hands over a key, or what belongs to one.
    private static func carriesKey(_ frame: [UInt8]) -> Bool {
        frame.dropFirst(L2CAPFrame.headerLength).first.map(keyDistribution.contains) ?? false
    }

    mutating func managerHears(
        ofEncryption isEncrypted: Bool,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        manage(handle, now: now) { manager, generator in
            manager.encryptionChanged(isEncrypted: isEncrypted, using: &generator, now: now)
        }
    }

    /// Somebody answers what a pairing asked, which may be over by now.
    package mutating func answer(
        _ answer: Pairing.Answer,
        on link: LinkIdentifier,
        now: Instant
    ) {
        guard let handle = handles[link] else { return }
        manage(handle, now: now) { manager, generator in
            manager.answer(answer, using: &generator, now: now)
        }
    }
}

// What the Security Manager wants.
extension HostCore {
    private mutating func perform(
        _ action: SecurityManager.Action,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle] else { return }
        switch action {
        case .send(let pdu):
            links[handle]?.protection.outgoing.append(
                L2CAPFrame.encode(pdu, on: .securityManager)
            )
        case .ask(let question): ask(question, on: link)
        case .withdrawQuestion: emit(.pairing(link.identifier, .withdrawn))
        case .pressed(let keypress): emit(.pairing(link.identifier, .pressed(keypress)))
        case .encrypt(let key):
            let strength = link.protection.manager?.strength ?? LinkSecurity(isEncrypted: true)
            let offer = LinkProtection.Key(origin: .unfinishedPairing, strength: strength)
            encrypt(handle, with: key, offer, now: now)
        case .wanted(let isAuthenticated, let usesSecureConnections):
            securityWanted(isAuthenticated, usesSecureConnections, on: handle, now: now)
        case .begun: break
        case .paired(let keys): paired(keys, on: handle, now: now)
        case .failed(let failure): pairingFailed(failure, on: handle, now: now)
        case .violated(let text):
            emit(.log("link \(link.identifier.rawValue): the peer broke the protocol: \(text)"))
        }
    }

    private mutating func ask(_ question: Pairing.Question, on link: LinkState) {
        let method = link.protection.manager?.method ?? question.likelyMethod
        let isIncoming = !link.protection.isOwnPairing
        emit(.pairing(link.identifier, .asked(question, method, isIncoming: isIncoming)))
    }

    /// A pairing came to nothing. A link that was encrypted for it is not to be trusted, and one that
    /// has to be encrypted has no other way.
    private mutating func pairingFailed(
        _ failure: Pairing.Failure,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle] else { return }
        emit(.log("link \(link.identifier.rawValue): pairing failed: \(failure)"))
        // A Security Request need not be answered; a pairing that times out ends the channel.
        let isIgnored = failure == .timedOut && link.protection.manager?.isSilenced == false
        if failure.isFailedAttempt, !isIgnored {
            attempts.failed(link.identity, now: now)
        }
        links[handle]?.protection.isOwnPairing = false
        failWaiters(of: handle, with: failure, now: now)
        if link.protection.usesUnfinishedPairing {
            // Encryption that has begun may be told of yet, and is worth nothing.
            links[handle]?.protection.offered = nil
            distrust(handle)
            endSoon(handle, as: .notEncrypted, now: now)
        } else if link.isSealed, link.isAgreedAnew {
            endSoon(handle, as: .bondLost, now: now)
        }
    }
}

extension Pairing.Question {
    /// The method that a question is asked for, as far as it shows.
    fileprivate var likelyMethod: Pairing.Method {
        switch self {
        case .consent: .justWorks
        case .confirm: .numericComparison
        case .display: .passkeyDisplay
        case .enterPasskey: .passkeyEntry
        }
    }
}

extension Pairing.Failure {
    /// Whether somebody may have guessed a secret, or pestered a person, and is to wait before the
    /// next time (Vol 3, Part H, 2.3.6).
    fileprivate var isFailedAttempt: Bool {
        switch self {
        case .refused(let reason), .refusedByPeer(let reason): reason.isFailedAttempt
        case .declined, .timedOut, .notEncrypted: true
        case .tooSoon, .busy, .linkEnded, .cancelled: false
        }
    }
}

extension Pairing.FailureReason {
    fileprivate var isFailedAttempt: Bool {
        switch self {
        // The two will never agree, or not now: nothing was guessed, and nobody asked.
        case .pairingNotSupported, .authenticationRequirements, .encryptionKeySize,
            .outOfBandDataNotAvailable, .repeatedAttempts, .busy:
            false
        default: true
        }
    }
}

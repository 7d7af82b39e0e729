// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

// The link's Security Manager: the PDUs on its channel, its questions to the application and their
// answers, and its keys for the controller and the bonds.
extension LinkCore {
    private static let pairingRequest: UInt8 = 0x01
    private static let pairingFailed: UInt8 = 0x05
    /// The codes of the PDUs from Encryption Information to Signing Information (Vol 3, Part H,
    /// 3.6.1).
    private static let keyDistribution: ClosedRange<UInt8> = 0x06...0x0A

    /// Runs `body` on the Security Manager, and performs the actions that it returns.
    mutating func manage(
        _ context: inout LinkContext,
        _ body: (inout SecurityManager, inout AnyRandomNumberGenerator, Instant) -> [SecurityManager
            .Action]
    ) {
        let refusal = refusalForPeer(context)
        var manager = protection.manager.take() ?? SecurityManager(securityContext(context))
        manager.policyForPeer = context.policyForPeers
        manager.refusalForPeer = refusal
        manager.existingBond = bond?.security(isEncrypted: true)
        let actions = body(&manager, &context.randomness, context.now)
        protection.manager = manager
        for action in actions { perform(action, &context) }
        pump(&context)
        guard protection.mustRefuseQuestion else { return }
        protection.mustRefuseQuestion = false
        manage(&context) { manager, _, _ in manager.refuse(.busy) }
    }

    private func securityContext(_ context: LinkContext) -> SecurityManager.Context {
        SecurityManager.Context(
            isCentral: role == .central,
            localAddress: localAddress,
            peerAddress: peer,
            identity: context.localIdentity
        )
    }

    /// Returns the reason why the peer may not begin a pairing now, or `nil` if it may.
    ///
    /// While a person answers a question about one link, the host refuses incoming pairings on all
    /// other links with Busy (Vol 3, Part H, 3.5.5), so that an answer never counts for a peer that
    /// the person does not see. Repeated Attempts would be wrong, because that peer has not tried
    /// before.
    private func refusalForPeer(_ context: LinkContext) -> Pairing.FailureReason? {
        guard context.attempts.waitLeft(for: identity, now: context.now) == nil else {
            return .repeatedAttempts
        }
        guard !isOwnPairing || !protection.isPairing else { return nil }
        if isPersonOccupiedElsewhere(context) { return .busy }
        return context.attempts.questionWaitLeft(now: context.now) == nil ? nil : .repeatedAttempts
    }

    /// Whether this host has begun the pairing, so that it is exempt from the limits of incoming
    /// pairings. A Security Request that the application did not ask for gives no exemption,
    /// because a peer can cause such requests without limit.
    private var isOwnPairing: Bool {
        protection.isOwnPairing && (role == .central || isPairingRequested)
    }

    /// Returns whether a person is occupied with another link.
    func isPersonOccupiedElsewhere(_ context: LinkContext) -> Bool {
        context.occupyingLinks > (isCountedAsOccupying ? 1 : 0)
    }

    /// Handles a PDU that the peer sent on the Security Manager's channel.
    mutating func receiveSecurity(_ payload: ArraySlice<UInt8>, _ context: inout LinkContext) {
        guard !isDisconnecting else { return }
        guard protection.outgoing.count < LinkProtection.outgoingLimit else {
            return context.emit(.log("ignored a PDU, because the peer does not read the responses"))
        }
        guard payload.first == Self.pairingRequest, role == .peripheral else {
            return passToManager(payload, &context)
        }
        pairingAsked(payload, &context)
    }

    /// Handles a Pairing Request. A bonded peer that pairs before it encrypts may have lost its
    /// bond.
    private mutating func pairingAsked(_ request: ArraySlice<UInt8>, _ context: inout LinkContext) {
        guard protection.loss == nil else { return }
        guard awaitsEncryption, !mayReplaceBond, let bond else {
            return passToManager(request, &context)
        }
        // The limits of incoming pairings apply, unless the pairing answers a Security Request that
        // the application has asked for.
        if let reason = refusalForPeer(context) {
            return refusePairing(reason, &context)
        }
        bondLost(bond, then: .receive(Array(request)), &context)
    }

    mutating func passToManager(_ pdu: ArraySlice<UInt8>, _ context: inout LinkContext) {
        manage(&context) { manager, generator, now in
            manager.receive(pdu, using: &generator, now: now)
        }
    }

    mutating func refusePairing(_ reason: Pairing.FailureReason, _ context: inout LinkContext) {
        guard protection.manager?.isSilenced != true else { return }
        let refusal = [Self.pairingFailed, reason.rawValue]
        protection.outgoing.append(L2CAPFrame.encode(refusal, on: .securityManager))
        pump(&context)
    }

    /// Returns the next frame of the Security Manager's channel.
    mutating func nextSecurityFrame(_ context: inout LinkContext) -> [UInt8]? {
        // The last keys are sent after the store has the bond. Until then, the host can still fail
        // the pairing.
        guard !protection.outgoing.isEmpty, protection.unsavedBond == nil else { return nil }
        let frame = protection.outgoing.removeFirst()
        if Self.carriesKey(frame) {
            protection.lastKeyEnd = context.transmitQueue.end(of: frame, on: handle)
        }
        return frame
    }

    /// Returns whether keys may still be on their way to a bonded peer. The central's keys come
    /// last in a pairing, and are still on their way when the pairing is over for this host (Vol 3,
    /// Part H, 3.6.1).
    func hasKeysUnderWay(_ context: LinkContext) -> Bool {
        guard bond != nil, security.isEncrypted else { return false }
        return protection.outgoing.contains(where: Self.carriesKey)
            || !context.transmitQueue.hasPassed(protection.lastKeyEnd, on: handle)
    }

    /// Returns whether a frame of the Security Manager's channel carries a key, or a part of one.
    static func carriesKey(_ frame: [UInt8]) -> Bool {
        frame.dropFirst(L2CAPFrame.headerLength).first.map(keyDistribution.contains) ?? false
    }

    /// Reports the result of encryption to the Security Manager.
    mutating func informManager(ofEncryption isEncrypted: Bool, _ context: inout LinkContext) {
        manage(&context) { manager, generator, now in
            manager.encryptionChanged(isEncrypted: isEncrypted, using: &generator, now: now)
        }
    }

    /// Takes the answer to a pairing's question. The pairing may already be over.
    mutating func answer(_ answer: Pairing.Answer, _ context: inout LinkContext) {
        guard protection.hasQuestion else { return }
        switch answer {
        case .keypress: break
        case .no: protection.hasQuestion = false
        case .yes, .passkey:
            protection.hasQuestion = false
            context.attempts.allowQuestions()
        }
        manage(&context) { manager, generator, now in
            manager.answer(answer, using: &generator, now: now)
        }
    }
}

// The actions of the Security Manager.
extension LinkCore {
    private mutating func perform(_ action: SecurityManager.Action, _ context: inout LinkContext) {
        switch action {
        case .send(let pdu):
            protection.outgoing.append(L2CAPFrame.encode(pdu, on: .securityManager))
        case .ask(let question): ask(question, &context)
        case .withdrawQuestion:
            protection.hasQuestion = false
            context.emit(.pairing(identifier, .withdrawn))
        case .pressed(let keypress): context.emit(.pairing(identifier, .pressed(keypress)))
        case .encrypt(let key):
            let strength = protection.manager?.strength ?? LinkSecurity(isEncrypted: true)
            let offer = LinkProtection.Key(origin: .unfinishedPairing, strength: strength)
            encrypt(with: key, offer, &context)
        case .securityRequested(let isAuthenticated, let usesSecureConnections):
            securityWanted(isAuthenticated, usesSecureConnections, &context)
        case .begun: protection.isOwnPairing = false
        case .paired(let keys):
            protection.hasQuestion = false
            paired(keys, &context)
        case .failed(let failure): pairingFailed(failure, &context)
        case .violated(let text):
            let prefix = "link \(identifier.rawValue): the peer violated the protocol"
            context.emit(.log("\(prefix): \(text)"))
        }
    }

    private mutating func ask(_ question: Pairing.Question, _ context: inout LinkContext) {
        let method = protection.manager?.method ?? question.likelyMethod
        let isIncoming = !isOwnPairing
        if isIncoming {
            // Two incoming pairings may begin before either has a question. The person may by now
            // be occupied with the other one.
            guard !isPersonOccupiedElsewhere(context) else {
                protection.mustRefuseQuestion = true
                return
            }
            if context.configuration.asksPerson() { context.attempts.asked(now: context.now) }
        }
        protection.hasQuestion = true
        context.emit(.pairing(identifier, .asked(question, method, isIncoming: isIncoming)))
    }

    /// Reports the end of a pairing to the application's delegate, if the application has set one.
    func reportPairing(
        _ result: Result<LinkSecurity, any Error>,
        _ context: inout LinkContext
    ) {
        guard context.configuration.pairingDelegate != nil else { return }
        context.emit(.pairing(identifier, .ended(peer, result)))
    }

    /// Handles a failed pairing. If the pairing had already begun to encrypt the link, the host no
    /// longer trusts the link and ends it. The host also ends the link if the pairing was to
    /// replace a lost bond, because nothing else can then encrypt the link.
    private mutating func pairingFailed(_ failure: Pairing.Failure, _ context: inout LinkContext) {
        context.emit(.log("link \(identifier.rawValue): pairing failed: \(failure)"))
        // The central may ignore a Security Request, so the timeout of a request is no failed
        // attempt. Only the timeout of a pairing silences the Security Manager.
        let isIgnored = failure == .timedOut && protection.manager?.isSilenced == false
        if failure.isFailedAttempt, !isIgnored {
            context.attempts.failed(identity, now: context.now)
        }
        let (usedUnfinished, mustEnd) = (
            protection.usesUnfinishedPairing, awaitsEncryption && mayReplaceBond
        )
        protection.isOwnPairing = false
        protection.hasQuestion = false
        failWaiters(with: failure, &context)
        reportPairing(.failure(failure), &context)
        if usedUnfinished {
            // The controller may still report encryption that has begun. The report has no effect.
            protection.offered = nil
            treatAsUnencrypted(&context)
            disconnectSoon(as: .notEncrypted, context)
        } else if mustEnd {
            disconnectSoon(as: .bondLost, context)
        }
    }
}

extension LinkContext {
    /// The policy of pairings that peers begin, or `nil` if peers may not begin one.
    var policyForPeers: Pairing.Policy? {
        let isAllowed = pairingWindow.isOpen && configuration.pairingDelegate != nil
        return isAllowed ? configuration.peerPairing ?? configuration.pairing : nil
    }
}

extension Pairing.Question {
    /// The method that the question implies.
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
    /// Whether a device may have guessed a secret or disturbed a person, so that it must wait
    /// before the next attempt (Vol 3, Part H, 2.3.6).
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
        // With these reasons, a device refuses a pairing that its requirements or its current state
        // do not permit. The peer did not guess a secret, and no person answered a question.
        case .pairingNotSupported, .authenticationRequirements, .encryptionKeySize,
            .outOfBandDataNotAvailable, .repeatedAttempts, .busy:
            false
        default: true
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// A link to a bonded peer awaits encryption: the peer proves its identity by encrypting. Until
// then, the application's requests wait, the host drops values that the peer sends, and the server
// refuses the peer's requests, except reads of the database's structure and of the values that
// describe the server equally to all clients. Otherwise, a device could use the address of a bonded
// peer to send false values (the BLESA attack). Signed commands are the exception in both
// directions, because they are meant for unencrypted links and authenticate their sender.
extension LinkCore {
    /// The time that a central has to encrypt before the host reminds it.
    package static let encryptionPause: Duration = .seconds(1)
    /// The maximum time that an application's request waits for encryption. It is longer than the
    /// timeout of an unanswered Security Request.
    package static let encryptionLimit: Duration = .seconds(35)

    /// Whether a bonded peer has yet to prove its identity.
    var awaitsEncryption: Bool { hasBond && !protection.isIdentityVerified }

    /// Whether a pairing may take place before the peer has proved its identity, because the
    /// application or `BondLossPolicy` permits the replacement of the lost bond.
    var mayReplaceBond: Bool { bond != nil && protection.replaceableBond == bond?.peer }

    /// Starts to encrypt a link to a peer that seems to be bonded.
    mutating func beginEncryption(_ context: inout LinkContext) {
        guard let bond else { return }
        guard role == .central else {
            protection.reminderDueAt = context.now + Self.encryptionPause
            return
        }
        // A bond may have a signing key and no encryption key. The link then continues to await
        // encryption.
        guard bond.peerKey?.isUsable(by: bond) == true else {
            return exchangeMTU(&context)
        }
        encryptByBond(&context)
    }

    /// Records that the peer has proved its identity, or that the application has agreed to pair
    /// with the device, and sends the requests that waited.
    ///
    /// - Parameter didWait: Whether the link has awaited encryption.
    mutating func identityVerified(
        as strength: LinkSecurity,
        after didWait: Bool,
        _ context: inout LinkContext
    ) {
        security = strength
        protection.isIdentityVerified = true
        protection.reminderDueAt = nil
        updateServerSecurity(&context)
        guard didWait else { return }
        verifyChange(&context)
        beginGATT(&context)
        for (request, id) in protection.held.removeAll() {
            self.request(request, id: id, &context)
        }
    }

    /// Begins the MTU exchange that waited for encryption. If none is necessary, completes the
    /// connection request, because the encryption has shown that the link is usable.
    private mutating func beginGATT(_ context: inout LinkContext) {
        guard role == .central || context.configuration.exchangesMTUAsPeripheral else { return }
        exchangeMTU(&context)
        if probe == nil { completeConnectionRequest(&context) }
    }

    /// Stores a request until the link is encrypted. Returns `false` if the link does not await
    /// encryption.
    mutating func hold(
        _ request: DeferredRequest,
        _ id: RequestIdentifier,
        _ context: inout LinkContext
    ) -> Bool {
        guard awaitsEncryption else { return false }
        if !protection.held.add(request, id, until: context.now + Self.encryptionLimit) {
            context.fail(id, HostError.tooManyRequests)
        }
        return true
    }

    /// Handles the deadlines of the link's protection that have passed.
    mutating func expireProtection(_ context: inout LinkContext) {
        for id in protection.held.expired(now: context.now) {
            context.fail(id, HostError.notEncrypted)
        }
        if let due = protection.reminderDueAt, due <= context.now {
            protection.reminderDueAt = nil
            askForEncryption(&context)
        }
        if let due = protection.loss?.deadline, due <= context.now {
            answerBondLoss(false, &context)
        }
        if let end = protection.scheduledEnd, end.dueAt <= context.now {
            disconnect(as: end.error, &context)
        }
        guard let due = protection.manager?.nextDeadline, due <= context.now else { return }
        manage(&context) { manager, _, now in manager.deadlinePassed(now: now) }
    }
}

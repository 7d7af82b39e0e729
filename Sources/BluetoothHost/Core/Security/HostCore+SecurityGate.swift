// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// On a link with a bonded peer, nothing comes from or goes to the application before the peer has
// shown by encrypting who it is (BLESA). What the application asks for waits; what the peer sends
// unasked is dropped; what it asks for is refused by the server. Commands with a signature are the
// exception, both ways: they are meant for links in clear, and show themselves who sent them.
extension HostCore {
    /// How long a Central may take to encrypt before it is reminded.
    package static let encryptionPause: Duration = .seconds(1)
    /// How long an application waits for a link to be encrypted: longer than a Security Request
    /// that nobody answers.
    package static let encryptionLimit: Duration = .seconds(35)

    /// A link with a peer that seems to be bonded begins.
    mutating func seal(_ handle: ConnectionHandle, now: Instant) {
        guard let link = links[handle], let bond = link.bond else { return }
        guard link.role == .central else {
            links[handle]?.protection.reminderDueAt = now + Self.encryptionPause
            return
        }
        // There may be a key to sign with, and none to encrypt with: such a link stays sealed.
        guard bond.peerKey?.isUsable(by: bond) == true else { return exchangeMTU(handle, now: now) }
        encryptByBond(handle, now: now)
    }

    /// The peer is who it seems to be, or somebody whom the application has agreed to since.
    mutating func unseal(_ handle: ConnectionHandle, as security: LinkSecurity, now: Instant) {
        let wasSealed = links[handle]?.isSealed == true
        links[handle]?.security = security
        links[handle]?.protection.isProved = true
        links[handle]?.protection.reminderDueAt = nil
        serverHearsOfSecurity(of: handle)
        guard wasSealed else { return }
        beginGATT(handle, now: now)
        release(handle, now: now)
    }

    /// The MTU exchange that waited; a dial that waits for nothing else is done.
    private mutating func beginGATT(_ handle: ConnectionHandle, now: Instant) {
        guard links[handle]?.role == .central || configuration.exchangesMTUAsPeripheral else {
            return
        }
        exchangeMTU(handle, now: now)
        guard let link = links[handle], link.probe == nil, let dial = link.dial else { return }
        links[handle]?.dial = nil
        announce(handle)
        dialEstablished(dial, link: link)
    }

    /// Keeps back what cannot be asked of a link yet. False if there is no need to.
    mutating func hold(
        _ wish: HeldRequests.Wish,
        _ id: RequestIdentifier,
        on handle: ConnectionHandle,
        now: Instant
    ) -> Bool {
        guard links[handle]?.isSealed == true else { return false }
        let deadline = now + Self.encryptionLimit
        if links[handle]?.protection.held.add(wish, id, until: deadline) != true {
            fail(id, HostError.tooManyRequests)
        }
        return true
    }

    private mutating func release(_ handle: ConnectionHandle, now: Instant) {
        guard let link = links[handle]?.identifier,
            let held = links[handle]?.protection.held.removeAll()
        else { return }
        for (wish, id) in held {
            switch wish {
            case .request(let request): self.request(request, of: link, id: id, now: now)
            case .channels(let wish): request(wish, of: link, id: id, now: now)
            case .bearers(let count): openEnhancedBearers(count, on: link, id: id, now: now)
            }
        }
    }

    /// What the clock has to say about a link's protection.
    mutating func expireProtection(_ handle: ConnectionHandle, now: Instant) {
        for id in links[handle]?.protection.held.expired(now: now) ?? [] {
            fail(id, HostError.notEncrypted)
        }
        if let due = links[handle]?.protection.reminderDueAt, due <= now {
            links[handle]?.protection.reminderDueAt = nil
            askForEncryption(handle, now: now)
        }
        if let due = links[handle]?.protection.loss?.deadline, due <= now {
            answerBondLoss(false, on: handle, now: now)
        }
        if let farewell = links[handle]?.protection.farewell, farewell.dueAt <= now {
            end(handle, as: farewell.error, now: now)
        }
        guard let due = links[handle]?.protection.manager?.nextDeadline, due <= now else { return }
        manage(handle, now: now) { manager, _ in manager.deadlinePassed(now: now) }
    }
}

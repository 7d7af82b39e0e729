// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import VirtualRadio

/// The keys of an accessory: its bonds, and the Security Manager of its link.
///
/// The value outlives connections, and its stored data outlives a loss of power.
struct AccessorySecurity: Sendable {
    /// The result of an input.
    enum Event: Sendable {
        /// Send the PDU on the Security Manager channel.
        case send([UInt8])
        /// The security of the link has changed.
        case changed(LinkSecurity)
    }

    /// The maximum number of bonds. A further bond replaces the oldest.
    static let bondLimit = 8

    private let pairing: AccessoryPairing
    private(set) var bonds: [Bond] = []
    /// The configurations of bonded clients.
    private var clientRecords: [DeviceAddress: ClientRecord] = [:]
    /// The source of keys. It is seeded with the address, so that the same world has the same keys.
    private var generator = SplitMix64(seed: 0)
    private var identity: Pairing.LocalIdentity?
    /// The key with which bonded peers resolve the accessory's private addresses.
    var resolvingKey: HCI.Key128? { identity?.resolvingKey }

    private var manager: SecurityManager?
    private var bond: Bond?
    private(set) var security = LinkSecurity.none
    /// The digits that the accessory displays.
    private(set) var screen: String?

    init(_ pairing: AccessoryPairing) {
        self.pairing = pairing
    }

    /// Deletes all bonds. The security of the current link stays until its end.
    mutating func forgetBonds() {
        (bonds, clientRecords, bond) = ([], [:], nil)
    }

    /// Begins to use the identity address, when the controller is ready.
    mutating func begin(address: DeviceAddress) {
        guard identity?.address != address else { return }
        generator = SplitMix64(seed: address.value)
        let key = HCI.Key128(using: &generator)
        identity = Pairing.LocalIdentity(address: address, resolvingKey: key)
    }

    /// Handles the connection of a central.
    ///
    /// - Parameters:
    ///   - peer: The address of the central.
    ///   - localAddress: The address that the central connected to; `nil` for the identity address.
    ///   - now: The current time.
    mutating func centralConnected(
        _ peer: DeviceAddress,
        at localAddress: DeviceAddress? = nil,
        now: Instant
    ) -> [Event] {
        guard let identity else { return [] }
        bond = bonds.last { $0.isShared(with: peer) }
        security = LinkSecurity(isBonded: bond != nil)
        var manager = SecurityManager(
            .init(
                isCentral: false,
                localAddress: localAddress ?? identity.address,
                peerAddress: peer,
                identity: identity
            )
        )
        manager.policyForPeer = pairing.policy
        manager.existingBond = bond?.security(isEncrypted: true)
        self.manager = manager
        guard pairing.sendsSecurityRequest else { return [] }
        return carryOut(now: now) { [policy = pairing.policy] in
            $0.pair(policy, using: &$1, now: now)
        }
    }

    /// Handles the end of the link.
    mutating func centralLeft() {
        (manager, bond, screen) = (nil, nil, nil)
        security = .none
    }

    /// Handles a PDU on the Security Manager channel.
    mutating func receive(_ bytes: ArraySlice<UInt8>, now: Instant) -> [Event] {
        carryOut(now: now) { $0.receive(bytes, using: &$1, now: now) }
    }

    /// Returns the key that the central requests; `nil` if there is none.
    func key(diversifier: UInt16, random: UInt64) -> HCI.Key128? {
        if let key = manager?.key(diversifier: diversifier, random: random) { return key }
        guard let key = bond?.localKey, key.diversifier == diversifier, key.random == random else {
            return nil
        }
        return key.value
    }

    /// Handles a change of encryption.
    mutating func encryptionChanged(_ isEncrypted: Bool, now: Instant) -> [Event] {
        let strength = manager?.strength
        let isOfPairing = manager?.key(diversifier: 0, random: 0) != nil
        security =
            isOfPairing && isEncrypted
            ? strength ?? .none : bond?.security(isEncrypted: isEncrypted) ?? .none
        let events = carryOut(now: now) {
            $0.encryptionChanged(isEncrypted: isEncrypted, using: &$1, now: now)
        }
        return [.changed(security)] + events
    }

    var nextDeadline: Instant? { manager?.nextDeadline }

    mutating func deadlinePassed(now: Instant) -> [Event] {
        carryOut(now: now) { manager, _ in manager.deadlinePassed(now: now) }
    }
}

// The stored data of clients.
extension AccessorySecurity {
    /// The stored configuration of the connected client.
    var clientRecord: ClientRecord? { bond.flatMap { clientRecords[$0.peer] } }

    mutating func remember(_ clientRecord: ClientRecord) {
        guard let bond else { return }
        clientRecords[bond.peer] = clientRecord
    }
}

// The actions of the Security Manager.
extension AccessorySecurity {
    private mutating func carryOut(
        now: Instant,
        _ body: (inout SecurityManager, inout SplitMix64) -> [SecurityManager.Action]
    ) -> [Event] {
        guard var manager else { return [] }
        var events: [Event] = []
        var actions = body(&manager, &generator)[...]
        while let action = actions.popFirst() {
            switch action {
            case .send(let pdu): events.append(.send(pdu))
            case .ask(let question):
                screen = question.screen
                guard let answer = pairing.answer(to: question) else { continue }
                actions += manager.answer(answer, using: &generator, now: now)
            case .paired(let keys):
                keep(keys, with: manager.context.peerAddress)
                events.append(.changed(security))
                screen = nil
            case .withdrawQuestion, .failed: screen = nil
            case .pressed, .encrypt, .securityRequested, .begun, .violated: break
            }
        }
        self.manager = manager
        return events
    }

    private mutating func keep(_ keys: Pairing.Keys, with peer: DeviceAddress) {
        guard keys.isBonded, !keys.usedDebugKey, let identity else { return }
        let bond = Bond(
            keys,
            identifier: PeerIdentifier(using: &generator),
            connectedAddress: peer,
            localIdentity: identity.address
        )
        // The stored configuration belongs to the earlier bond.
        clientRecords[bond.peer] = nil
        bonds.removeAll { $0.peer == bond.peer }
        bonds.append(bond)
        if bonds.count > Self.bondLimit { clientRecords[bonds.removeFirst().peer] = nil }
        self.bond = bond
        security = bond.security(isEncrypted: true)
    }
}

extension Bond {
    /// Returns whether the address is the peer's identity address or a private address of the peer.
    fileprivate func isShared(with address: DeviceAddress) -> Bool {
        peer == address || resolvingKey.flatMap(ResolvingKey.init)?.resolves(address) == true
    }
}

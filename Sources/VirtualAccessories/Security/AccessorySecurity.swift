// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import VirtualRadio

/// The keys of an accessory: the bonds that it keeps, and the Security Manager of its link.
///
/// It outlives connections, and what it keeps outlives a loss of power.
struct AccessorySecurity: Sendable {
    /// What came of something.
    enum Event: Sendable {
        /// Send this on the Security Manager's channel.
        case send([UInt8])
        /// The link is protected in another way now.
        case changed(LinkSecurity)
    }

    /// How many bonds it keeps; one more takes the place of the oldest.
    static let bondLimit = 8

    private let pairing: AccessoryPairing
    private(set) var bonds: [Bond] = []
    /// What bonded clients have configured.
    private var memories: [DeviceAddress: ClientMemory] = [:]
    /// What keys are drawn with: dice of its own, so that the same world has the same keys.
    private var generator = SplitMix64(seed: 0)
    private var identity: Pairing.LocalIdentity?
    /// What bonded peers know its private addresses again by.
    var resolvingKey: HCI.Key128? { identity?.resolvingKey }

    private var manager: SecurityManager?
    private var bond: Bond?
    private(set) var security = LinkSecurity.none
    /// The digits that it shows.
    private(set) var screen: String?

    init(_ pairing: AccessoryPairing) {
        self.pairing = pairing
    }

    /// Nothing is known any more of anybody; what protects the present link stays until its end.
    mutating func forgetBonds() {
        (bonds, memories, bond) = ([], [:], nil)
    }

    /// The controller is there, and the accessory uses this address.
    mutating func begin(address: DeviceAddress) {
        guard identity?.address != address else { return }
        generator = SplitMix64(seed: address.value)
        let key = HCI.Key128(using: &generator)
        identity = Pairing.LocalIdentity(address: address, resolvingKey: key)
    }

    /// A Central has connected.
    ///
    /// - Parameter localAddress: that which it connected to; nil for the identity address.
    mutating func centralCame(
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
        guard pairing.asksForProtection else { return [] }
        return carryOut(now: now) { [policy = pairing.policy] in
            $0.pair(policy, using: &$1, now: now)
        }
    }

    /// The link has ended.
    mutating func centralLeft() {
        (manager, bond, screen) = (nil, nil, nil)
        security = .none
    }

    /// A PDU has arrived on the Security Manager's channel.
    mutating func receive(_ bytes: ArraySlice<UInt8>, now: Instant) -> [Event] {
        carryOut(now: now) { $0.receive(bytes, using: &$1, now: now) }
    }

    /// The key that the Central names; nil if there is none.
    func key(diversifier: UInt16, random: UInt64) -> HCI.Key128? {
        if let key = manager?.key(diversifier: diversifier, random: random) { return key }
        guard let key = bond?.localKey, key.diversifier == diversifier, key.random == random else {
            return nil
        }
        return key.value
    }

    /// Encryption is on, or off.
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

// What is kept of clients.
extension AccessorySecurity {
    /// What the client that is connected has configured before.
    var memory: ClientMemory? { bond.flatMap { memories[$0.peer] } }

    mutating func remember(_ memory: ClientMemory) {
        guard let bond else { return }
        memories[bond.peer] = memory
    }
}

// What the Security Manager wants.
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
            case .pressed, .encrypt, .wanted, .begun, .violated: break
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
        // Whoever was bonded before begins anew.
        memories[bond.peer] = nil
        bonds.removeAll { $0.peer == bond.peer }
        bonds.append(bond)
        if bonds.count > Self.bondLimit { memories[bonds.removeFirst().peer] = nil }
        self.bond = bond
        security = bond.security(isEncrypted: true)
    }
}

extension Bond {
    /// Whether the address is that of the peer, or one that it has made.
    fileprivate func isShared(with address: DeviceAddress) -> Bool {
        peer == address || resolvingKey.flatMap(ResolvingKey.init)?.resolves(address) == true
    }
}

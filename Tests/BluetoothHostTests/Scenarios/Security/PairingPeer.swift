// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

/// The Security Manager of a peer that pairs with the host.
struct PairingPeer {
    static let identity = DeviceAddress(value: 0xC0DE_0000_0007, kind: .random)

    var manager: SecurityManager
    var generator = SplitMix64(seed: 7)
    private(set) var keys: Pairing.Keys?
    private(set) var failures: [Pairing.Failure] = []
    private let address: DeviceAddress
    private var receivedCount = 0
    private var isEncrypted = false

    /// Creates a peer that can pair.
    ///
    /// - Parameter identity: The identity that the peer claims. The default is the address of its
    ///   connection.
    init(
        _ harness: Harness,
        isCentral: Bool,
        address: DeviceAddress = Bonded.peer.address,
        identity: DeviceAddress? = nil,
        _ change: (inout Pairing.Policy) -> Void = { _ in }
    ) throws {
        let key = try #require(HCI.Key128((1...16).map { UInt8($0) }))
        var policy = Pairing.Policy()
        change(&policy)
        self.address = address
        manager = SecurityManager(
            .init(
                isCentral: isCentral,
                localAddress: address,
                peerAddress: harness.core.ownAddress,
                identity: .init(address: identity ?? address, resolvingKey: key)
            )
        )
        manager.policyForPeer = policy
        receivedCount = harness.security(receivedBy: address).count
    }

    /// Starts a pairing.
    mutating func pair(with harness: inout Harness) {
        let policy = manager.policyForPeer ?? Pairing.Policy()
        take(manager.pair(policy, using: &generator, now: harness.now), in: &harness)
        continuePairing(with: &harness)
    }

    /// Exchanges PDUs until neither side has any.
    mutating func continuePairing(with harness: inout Harness) {
        harness.drive()
        while let pdu = harness.security(receivedBy: address).dropFirst(receivedCount).first {
            receivedCount += 1
            let actions = manager.receive(pdu[...], using: &generator, now: harness.now)
            take(actions, in: &harness)
            harness.drive()
            reportEncryption(in: &harness)
        }
    }

    /// Answers the latest question of the host, with consent unless `answer` is another answer.
    mutating func agree(to answer: Pairing.Answer = .yes, in harness: inout Harness) throws {
        let asked = try #require(harness.lastQuestion)
        harness.core.answer(answer, on: asked.link, now: harness.now)
        continuePairing(with: &harness)
    }

    private mutating func take(_ actions: [SecurityManager.Action], in harness: inout Harness) {
        // The controller needs the key before the host uses it.
        if let key = manager.key(diversifier: 0, random: 0) {
            harness.controller.peers[address]?.key = key
        }
        for action in actions {
            switch action {
            case .send(let pdu): harness.controller.sendSecurity(pdu, from: address)
            case .ask(.consent), .ask(.confirm):
                let more = manager.answer(.yes, using: &generator, now: harness.now)
                take(more, in: &harness)
            case .encrypt(let key):
                harness.drive()
                harness.controller.peers[address]?.key = key.value
                harness.controller.requestKey(from: address)
                harness.drive()
                reportEncryption(in: &harness)
            case .paired(let made): keys = made
            case .failed(let failure): failures.append(failure)
            default: break
            }
        }
    }

    private mutating func reportEncryption(in harness: inout Harness) {
        let link = harness.core.linkList.first { $0.peer == address }?.identifier
        guard !isEncrypted, manager.strength != nil,
            let link, let key = harness.core.look(at: link, { $0.protection.inForce }),
            key.origin == .unfinishedPairing
        else { return }
        isEncrypted = true
        let actions = manager.encryptionChanged(
            isEncrypted: true,
            using: &generator,
            now: harness.now
        )
        take(actions, in: &harness)
        harness.drive()
    }
}

extension Harness {
    /// The latest question of a pairing to the application.
    var lastQuestion: (link: LinkIdentifier, question: Pairing.Question, isIncoming: Bool)? {
        for (link, event) in pairingEvents.reversed() {
            if case .asked(let question, _, let isIncoming) = event {
                return (link, question, isIncoming)
            }
        }
        return nil
    }

    var questionCount: Int {
        pairingEvents.count { if case .asked = $0.event { true } else { false } }
    }

    /// Whether the application was asked about a lost bond.
    var isAskedAboutLoss: Bool {
        pairingEvents.contains { if case .bondLost = $0.event { true } else { false } }
    }
}

/// A delegate with the default methods. The host asks questions only if it has a delegate, and the
/// tests answer them in its place.
struct SilentDelegate: PairingDelegate {}

// SPDX-License-Identifier: Apache-2.0
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualAccessories

/// An accessory's security and the Security Manager of a central, PDU by PDU.
private struct SecurityHarness {
    static let accessoryAddress = DeviceAddress(value: 0xC000_0000_0001, kind: .random)
    static let centralAddress = DeviceAddress(value: 0xC000_0000_0002, kind: .random)

    var accessory: AccessorySecurity
    private var central = SecurityHarness.manager()
    private var generator = SplitMix64(seed: 7)
    private(set) var keys: Pairing.Keys?
    private(set) var failure: Pairing.Failure?
    private(set) var changes: [LinkSecurity] = []
    /// The digits that the accessory has displayed.
    private(set) var screens: [String] = []

    init(_ pairing: AccessoryPairing) {
        accessory = AccessorySecurity(pairing)
        accessory.begin(address: Self.accessoryAddress)
        connect()
    }

    private static func manager() -> SecurityManager {
        var generator = SplitMix64(seed: 9)
        let key = HCI.Key128(using: &generator)
        return SecurityManager(
            .init(
                isCentral: true,
                localAddress: centralAddress,
                peerAddress: accessoryAddress,
                identity: .init(address: centralAddress, resolvingKey: key)
            )
        )
    }

    mutating func connect() {
        accessory.centralLeft()
        central = Self.manager()
        note(accessory.centralConnected(Self.centralAddress, now: .zero))
    }

    /// Pairs. `answer` stands for the central's user and receives the accessory's display.
    mutating func pair(
        _ policy: Pairing.Policy,
        answer: (Pairing.Question, String?) -> Pairing.Answer? = { _, _ in .yes }
    ) {
        (keys, failure, changes) = (nil, nil, [])
        var actions = central.pair(policy, using: &generator, now: .zero)[...]
        while let action = actions.popFirst() {
            switch action {
            case .send(let pdu):
                for pdu in note(accessory.receive(pdu[...], now: .zero)) {
                    actions += central.receive(pdu[...], using: &generator, now: .zero)
                }
            case .encrypt(let key):
                let named = accessory.key(diversifier: key.diversifier, random: key.random)
                #expect(named == key.value)
                let pdus = note(accessory.encryptionChanged(true, now: .zero))
                actions += central.encryptionChanged(
                    isEncrypted: true,
                    using: &generator,
                    now: .zero
                )
                for pdu in pdus {
                    actions += central.receive(pdu[...], using: &generator, now: .zero)
                }
            case .ask(let question):
                guard let answer = answer(question, accessory.screen) else { continue }
                actions += central.answer(answer, using: &generator, now: .zero)
            case .paired(let keys): self.keys = keys
            case .failed(let failure): self.failure = failure
            case .withdrawQuestion, .pressed, .securityRequested, .begun, .violated: break
            }
        }
    }

    @discardableResult
    private mutating func note(_ events: [AccessorySecurity.Event]) -> [[UInt8]] {
        if let screen = accessory.screen { screens.append(screen) }
        return events.compactMap { event in
            switch event {
            case .send(let pdu): return pdu
            case .changed(let security):
                changes.append(security)
                return nil
            }
        }
    }
}

@Suite("Pairing of an accessory")
struct AccessorySecurityTests {
    private static func policy(_ io: Pairing.IOCapability) -> Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = io
        policy.requiresAuthentication = io != .noInputNoOutput
        return policy
    }

    @Test("The accessory accepts Just Works and has the same key as the central")
    func justWorks() throws {
        var harness = SecurityHarness(AccessoryPairing(.noInputNoOutput))
        harness.pair(Self.policy(.noInputNoOutput))
        let keys = try #require(harness.keys)
        #expect(keys.method == .justWorks)
        #expect(harness.accessory.bonds.map(\.localKey) == [keys.peerKey])
        let last = try #require(harness.changes.last)
        #expect(last.isEncrypted && last.isBonded && !last.isAuthenticated)
        #expect(harness.screens.isEmpty)
    }

    @Test("Both ends display the same digits to compare, and then the accessory's display is off")
    func comparison() throws {
        var harness = SecurityHarness(AccessoryPairing(.displayYesNo))
        var compared: [[String?]] = []
        harness.pair(Self.policy(.displayYesNo)) { question, screen in
            compared.append([question.screen, screen])
            return .yes
        }
        #expect(harness.keys?.method == .numericComparison)
        let displays = try #require(compared.first)
        #expect(compared.count == 1)
        #expect(displays[0]?.count == 6 && displays[0] == displays[1])
        #expect(harness.changes.last?.isAuthenticated == true)
        #expect(harness.accessory.screen == nil, "the display is off after pairing")
    }

    @Test("The accessory displays a new passkey in each pairing")
    func display() throws {
        var harness = SecurityHarness(AccessoryPairing(.displayOnly))
        for _ in 0..<2 {
            harness.connect()
            harness.pair(Self.policy(.keyboardOnly)) { _, screen in
                screen.flatMap { UInt32($0) }.map(Pairing.Answer.passkey) ?? .no
            }
            #expect(harness.keys?.method == .passkeyEntry)
        }
        #expect(harness.screens.allSatisfy { $0.count == 6 })
        #expect(Set(harness.screens).count == 2)
    }

    @Test("Pairing fails if the accessory's user enters a wrong passkey or none")
    func entry() throws {
        for passkey: UInt32? in [123_456, nil] {
            var harness = SecurityHarness(AccessoryPairing(.keyboardOnly, enteredPasskey: passkey))
            var shown: UInt32?
            harness.pair(Self.policy(.displayOnly)) { question, _ in
                if case .display(let digits) = question { shown = digits }
                return nil
            }
            // The accessory's user cannot see the central's display, so the number matches by
            // chance only.
            #expect(shown != nil || passkey == nil)
            #expect(harness.keys == nil && harness.failure != nil)
        }
    }

    @Test("The accessory finds a bond's key on later links of its central")
    func bond() throws {
        var harness = SecurityHarness(AccessoryPairing())
        harness.pair(Self.policy(.noInputNoOutput))
        let key = try #require(harness.keys?.peerKey)
        harness.connect()
        #expect(harness.accessory.security == LinkSecurity(isBonded: true))
        #expect(harness.accessory.key(diversifier: 0, random: 0) == key.value)
        #expect(harness.accessory.key(diversifier: 1, random: 0) == nil)
        #expect(harness.accessory.key(diversifier: 0, random: 1) == nil)
        _ = harness.accessory.encryptionChanged(true, now: .zero)
        #expect(harness.accessory.security.isEncrypted && harness.accessory.security.isBonded)
        harness.accessory.centralLeft()
        let unknownPeer = DeviceAddress(value: 0xC000_0000_0003, kind: .random)
        _ = harness.accessory.centralConnected(unknownPeer, now: .zero)
        #expect(harness.accessory.key(diversifier: 0, random: 0) == nil)
    }

    @Test("An accessory without bonding keeps no bond")
    func noBonding() {
        var pairing = AccessoryPairing()
        pairing.isBonding = false
        var harness = SecurityHarness(pairing)
        harness.pair(Self.policy(.noInputNoOutput))
        #expect(harness.keys?.isBonded == false)
        #expect(harness.accessory.bonds.isEmpty)
        #expect(harness.accessory.security.isEncrypted && !harness.accessory.security.isBonded)
    }

    @Test("An accessory can be configured to request security by itself")
    func securityRequest() {
        var pairing = AccessoryPairing()
        pairing.sendsSecurityRequest = true
        var security = AccessorySecurity(pairing)
        security.begin(address: SecurityHarness.accessoryAddress)
        let events = security.centralConnected(SecurityHarness.centralAddress, now: .zero)
        guard case .send(let pdu)? = events.first else {
            Issue.record("the accessory does not request security")
            return
        }
        #expect(pdu.first == 0x0B)
    }
}

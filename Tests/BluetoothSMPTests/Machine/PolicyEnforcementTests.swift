// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// The limits that a policy and an existing bond set for a pairing.
@Suite("Limits of a policy")
struct PolicyEnforcementTests {
    @Test("The shorter key size is used", arguments: 7...16)
    func shorterKeySize(size: Int) throws {
        for isLegacy in [false, true] {
            let policy = Pairing.Policy(.noInputNoOutput) {
                $0.minimumKeySize = 7
                $0.allowsLegacyPairing = true
                $0.usesSecureConnections = !isLegacy
            }
            var short = policy
            short.maximumKeySize = size
            var dialogue = PairingDialogue(policy, short)
            dialogue.pair()
            try dialogue.expectSuccess(.justWorks)
            let keys = try #require(dialogue.central.keys)
            #expect(keys.keySize == size)
            let bytes = dialogue.linkKeys + [keys.peerKey, keys.localKey].compactMap { $0?.value }
            #expect(bytes.allSatisfy { key in key.bytes[size...].allSatisfy { $0 == 0 } })
            #expect(bytes.allSatisfy { key in key.bytes[..<size].contains { $0 != 0 } })
        }
    }

    @Test("A key below the minimum size is refused", arguments: [true, false])
    func keyTooShort(isByCentral: Bool) {
        var dialogue = PairingDialogue()
        if isByCentral {
            dialogue.peripheral.manager.policyForPeer?.maximumKeySize = 15
            dialogue.peripheral.manager.policyForPeer?.minimumKeySize = 7
        } else {
            dialogue.central.manager.policyForPeer?.maximumKeySize = 15
            dialogue.central.manager.policyForPeer?.minimumKeySize = 7
        }
        dialogue.pair()
        dialogue.expectFailure(.encryptionKeySize, byCentral: isByCentral)
    }

    /// A maximum below the default minimum of 16 does not reduce the minimum.
    @Test("A maximum key size below the minimum is refused", arguments: [true, false], 7...15)
    func maximumBelowMinimum(isByCentral: Bool, size: Int) {
        let contradictory = Pairing.Policy(.noInputNoOutput) { $0.maximumKeySize = size }
        let content = Pairing.Policy(.noInputNoOutput) { $0.minimumKeySize = 7 }
        var dialogue = PairingDialogue(
            isByCentral ? contradictory : content,
            isByCentral ? content : contradictory
        )
        dialogue.pair()
        dialogue.expectFailure(.encryptionKeySize, byCentral: isByCentral)
    }

    @Test(
        "A key size outside of the valid range is invalid",
        arguments: [0, 6, 17, 255] as [UInt8]
    )
    func invalidKeySize(size: UInt8) {
        var features = SMP.PairingFeatures(
            ioCapability: .noInputNoOutput,
            requirements: [.bonding, .secureConnections]
        )
        features.maximumKeySize = size
        var dialogue = PairingDialogue()
        dialogue.peripheral.receive(.pairingRequest(features))
        #expect(dialogue.peripheral.sentFailures == [.invalidParameters])
        dialogue.central.pair(Pairing.Policy())
        dialogue.central.receive(.pairingResponse(features))
        #expect(dialogue.central.sentFailures == [.invalidParameters])
    }

    @Test("Required protection is enforced", arguments: [true, false])
    func requiredProtection(isByCentral: Bool) {
        let demanding = Pairing.Policy(.displayYesNo) { $0.requiresAuthentication = true }
        var dialogue = PairingDialogue(
            isByCentral ? demanding : Pairing.Policy(),
            isByCentral ? Pairing.Policy() : demanding
        )
        dialogue.pair()
        dialogue.expectFailure(.authenticationRequirements, byCentral: isByCentral)
    }

    @Test(
        "A requirement that no peer can meet fails before the first PDU",
        arguments: [true, false]
    )
    func impossibleRequirement(isCentral: Bool) {
        var dialogue = PairingDialogue()
        let policy = Pairing.Policy(.noInputNoOutput) { $0.requiresAuthentication = true }
        if isCentral { dialogue.central.pair(policy) } else { dialogue.peripheral.pair(policy) }
        let side = isCentral ? dialogue.central : dialogue.peripheral
        #expect(side.actions == [.failed(.refused(.authenticationRequirements))])
    }

    @Test("Protection is used if one side requests it", arguments: [true, false])
    func requestedProtection(isByCentral: Bool) throws {
        let modest = Pairing.Policy(.displayYesNo) { $0.prefersAuthentication = false }
        let asking = Pairing.Policy(.displayYesNo)
        var dialogue = PairingDialogue(
            isByCentral ? asking : modest,
            isByCentral ? modest : asking
        )
        dialogue.pair()
        try dialogue.expectSuccess(.numericComparison)
    }

    @Test("Without a request for protection, Just Works is used")
    func noProtectionRequested() throws {
        let modest = Pairing.Policy(.displayYesNo) { $0.prefersAuthentication = false }
        var dialogue = PairingDialogue(modest, modest)
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
    }

    @Test("A forbidden method is refused", arguments: [true, false])
    func forbiddenMethod(isByCentral: Bool) {
        let method: Pairing.Method = isByCentral ? .passkeyEntry : .passkeyDisplay
        var dialogue = PairingDialogue(.init(.keyboardOnly), .init(.displayOnly))
        if isByCentral {
            dialogue.central.manager.policyForPeer?.forbiddenMethods = [method]
        } else {
            dialogue.peripheral.manager.policyForPeer?.forbiddenMethods = [method]
        }
        dialogue.pair()
        dialogue.expectFailure(.authenticationRequirements, byCentral: isByCentral)
    }

    @Test("No bond is created unless both sides bond", arguments: [true, false])
    func bondingOnOneSide(isCentral: Bool) throws {
        var dialogue = PairingDialogue()
        if isCentral {
            dialogue.central.manager.policyForPeer?.isBonding = false
        } else {
            dialogue.peripheral.manager.policyForPeer?.isBonding = false
        }
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
        #expect(dialogue.central.keys?.isBonded == false)
        #expect(dialogue.central.keys?.peerIdentity == nil)
        #expect(dialogue.peripheral.keys?.isBonded == false)
    }

    /// Existing bonds of different strengths.
    static let authenticated = LinkSecurity(
        isEncrypted: true,
        isAuthenticated: true,
        usesSecureConnections: true,
        keySize: 16,
        isBonded: true
    )
    static let unauthenticated = LinkSecurity(
        isEncrypted: true,
        usesSecureConnections: true,
        keySize: 16,
        isBonded: true
    )

    @Test(
        "An authenticated bond is not replaced by an unauthenticated bond",
        arguments: [true, false]
    )
    func authenticatedBond(isByCentral: Bool) {
        var dialogue = PairingDialogue(.init(.displayYesNo), .init(.displayYesNo))
        if isByCentral {
            dialogue.central.manager.existingBond = Self.authenticated
            dialogue.peripheral.manager.policyForPeer?.ioCapability = .noInputNoOutput
        } else {
            dialogue.peripheral.manager.existingBond = Self.authenticated
            dialogue.central.manager.policyForPeer?.ioCapability = .noInputNoOutput
        }
        dialogue.pair()
        dialogue.expectFailure(.authenticationRequirements, byCentral: isByCentral)
    }

    @Test("A bond by LE Secure Connections is not replaced by a legacy bond")
    func secureConnectionsBond() {
        var dialogue = PairingDialogue(
            .legacy(),
            .init(.noInputNoOutput) { $0.allowsLegacyPairing = true }
        )
        dialogue.peripheral.manager.existingBond = Self.unauthenticated
        dialogue.pair()
        dialogue.expectFailure(.authenticationRequirements, byCentral: false)
    }

    @Test("A bond with a long key is not replaced by one with a shorter key")
    func longKeyBond() {
        let short = Pairing.Policy(.noInputNoOutput) { $0.maximumKeySize = 10 }
        var dialogue = PairingDialogue(short, .init(.noInputNoOutput) { $0.minimumKeySize = 7 })
        dialogue.peripheral.manager.existingBond = Self.unauthenticated
        dialogue.pair()
        dialogue.expectFailure(.authenticationRequirements, byCentral: false)
    }

    @Test("A bond is replaced by a stronger bond") func strongerBond() throws {
        var dialogue = PairingDialogue(.init(.displayYesNo), .init(.displayYesNo))
        dialogue.central.manager.existingBond = Self.unauthenticated
        dialogue.peripheral.manager.existingBond = Self.unauthenticated
        dialogue.pair()
        try dialogue.expectSuccess(.numericComparison)
    }

    @Test("A bond is replaced by a weaker bond if the policy allows it")
    func weakerBondAllowed() throws {
        let policy = Pairing.Policy(.noInputNoOutput) { $0.allowsWeakerBond = true }
        var dialogue = PairingDialogue(policy, policy)
        dialogue.central.manager.existingBond = Self.authenticated
        dialogue.peripheral.manager.existingBond = Self.authenticated
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
    }

    @Test("Without a policy, the peer is refused, and no pairing starts")
    func noPolicy() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.manager.policyForPeer = nil
        dialogue.pair()
        #expect(dialogue.peripheral.sentFailures == [.pairingNotSupported])
        #expect(dialogue.peripheral.actions.count == 1)
        #expect(dialogue.central.failure == .refusedByPeer(.pairingNotSupported))
    }

    @Test("A peer is refused with the reason that the host has set") func otherReason() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.manager.refusalForPeer = .repeatedAttempts
        dialogue.pair()
        #expect(dialogue.peripheral.sentFailures == [.repeatedAttempts])
        #expect(dialogue.peripheral.actions.count == 1)
        #expect(dialogue.central.failure == .refusedByPeer(.repeatedAttempts))
    }
}

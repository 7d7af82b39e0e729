// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import JSONText

/// A procedure that pairs on a link and reports the result.
struct PairingProcedure: Sendable {
    let link: any PeripheralLink
    let policy: Pairing.Policy
    let dialogue: PairingDialogue
    let limits: StepLimits
    /// A latch that is set if there are new keys. The adapter may have paired before this procedure
    /// got the link, so the bonds alone do not show that the keys are new.
    let hasBonded: Latch

    /// The time limit of a pairing. Each step has a limit of 30 seconds (Vol 3, Part H, 3.4), and
    /// only a few steps ask a person.
    static let limit = Duration.seconds(180)

    /// Pairs, or encrypts with the keys of a bond.
    func pair(advertisedName: String?) async throws -> PairingReport {
        let earlier = try await bond()
        let security = try await limits.run("pairing", within: Self.limit) {
            try await link.secure(policy)
            return try await link.protection
        }
        let name = await readName()
        let bond = try await bond()
        let isKnown = earlier != nil && !hasBonded.isSet
        return PairingReport(
            address: link.address,
            name: bond?.name ?? name ?? advertisedName,
            method: method(security, isKnown: isKnown),
            security: security,
            bond: bond
        )
    }

    /// Returns the method; `nil` if there was no pairing. If no question was asked and nothing was
    /// shown, an authenticated pairing was out of band, and any other pairing was Just Works.
    private func method(_ security: LinkSecurity?, isKnown: Bool) -> Pairing.Method? {
        if let method = dialogue.method { return method }
        if isKnown { return nil }
        return security?.isAuthenticated == true ? .outOfBand : .justWorks
    }

    private func bond() async throws -> AccessoryBond? {
        try await limits.run("reading the bond") { try await link.bond }
    }

    /// Returns the peer's Device Name (Vol 3, Part C, 12.1). The host also reads the name, for the
    /// bond. On one bearer, the host has the name too when this read ends.
    private func readName() async -> String? {
        let values = try? await limits.run("reading the name") {
            try await link.read(uuid: BluetoothUUID(0x2A00), first: .first, last: .last)
        }
        return values?.first.flatMap { TerminalText.text(utf8: $0.value) }
    }
}

/// The result of a pairing.
struct PairingReport: Equatable, Sendable {
    /// The address of the peer on the link.
    let address: DeviceAddress
    let name: String?
    /// The pairing method; `nil` if the link uses keys of an earlier pairing.
    let method: Pairing.Method?
    /// The protection of the link; `nil` if the adapter does not report it.
    let security: LinkSecurity?
    /// The bond; `nil` if no keys are stored.
    let bond: AccessoryBond?

    /// The report on several lines. The peer's name is escaped.
    var text: String {
        let quotedName = name.map { "\"\(TerminalText.escape($0))\" " } ?? ""
        let peer = quotedName + AddressText.describe(address)
        let beginning = method == nil ? "bonded already: \(peer)" : "paired: \(peer)"
        let lines = [
            beginning, method.map { "method: \($0)" }, "protection: \(protection)",
            bond.map(Self.text) ?? "bond: none, the keys are for this link only",
        ]
        return lines.compactMap { $0 }.joined(separator: "\n")
    }

    private static func text(_ bond: AccessoryBond) -> String {
        "bond: " + (bond.peer?.identifier.description ?? "kept by the Bluetooth daemon")
    }

    private var protection: String {
        guard let security else { return "not reported by the Bluetooth daemon" }
        let keys = security.usesSecureConnections ? "LE Secure Connections" : "legacy pairing"
        let middle =
            security.isAuthenticated
            ? "authenticated" : "not authenticated: no protection against a man in the middle"
        return "\(keys), a key of \(security.keySize) bytes, \(middle)"
    }

    var json: JSON {
        .object([
            .init("address", .string(address.description)),
            .init("addressType", .string(AddressText.name(of: address.kind))),
            .init("name", .string(orNull: name)),
            .init("method", .string(orNull: method?.rawValue)),
            .init("secureConnections", security.map { .bool($0.usesSecureConnections) } ?? .null),
            .init("authenticated", security.map { .bool($0.isAuthenticated) } ?? .null),
            .init("keySize", .integer(orNull: security?.keySize)),
            .init("bond", .string(orNull: bond?.peer?.identifier.description)),
            .init("isBonded", .bool(bond != nil)),
        ])
    }
}

/// The pairing configuration of a command's host. By default a command uses bonds and makes none.
struct PairingSetup: Sendable {
    var policy = Pairing.Policy()
    var delegate: TerminalDelegate?
    /// Whether peers may start a pairing.
    var acceptsPairing = false
    /// The time after the start in which peers may start a pairing; `nil` for as long as the
    /// command runs.
    var window: Duration?
    var bondLossPolicy = BondLossPolicy.refuse
    /// Whether the Bluetooth daemon pairs as it connects. A host pairs on the link.
    var pairsAsItConnects = false
    /// Whether the host pairs when a peer refuses an operation, if there is a delegate.
    var securesOnDemand = true
    /// Set when a peer has bonded or changed its keys.
    let hasBonded = Latch()
    /// Whether a question or digits were shown to a person. From then on, the time limit of the
    /// connection starts again each time it passes.
    var hasStartedDialogue: @Sendable () -> Bool = { false }
    /// Whether a person has declined a question.
    var hasDeclined: @Sendable () -> Bool = { false }

    func apply(to configuration: inout HostConfiguration) {
        configuration.pairing = policy
        configuration.pairingDelegate = delegate
        configuration.acceptsPairing = acceptsPairing
        configuration.pairingWindow = window
        configuration.bondLossPolicy = bondLossPolicy
        // Without a delegate, on-demand pairing would fail with a reason that hides the peer's
        // refusal.
        configuration.securesOnDemand = delegate != nil && securesOnDemand
    }
}

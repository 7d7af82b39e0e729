// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// Pairs on a link, and finds out what has come of it.
struct PairingVisit: Sendable {
    let link: Link
    let policy: Pairing.Policy
    let dialogue: PairingDialogue
    let limits: StepLimits
    /// Set if there are new keys, which there may have been before the link was reported.
    let hasBonded: Latch

    /// How long a pairing may take: each of its steps ends after 30 seconds by itself
    /// (Vol 3, Part H, 3.4), and none has more than a few in which somebody is asked.
    static let limit = Duration.seconds(180)

    /// Pairs, or encrypts with keys that are shared already.
    func pair(advertisedName: String?) async throws -> PairingReport {
        let earlier = try await bondedPeer()
        let security = try await limits.run("pairing", within: Self.limit) {
            try await link.pair(policy)
        }
        let name = await readName()
        let bond = try await bondedPeer()
        let isKnown = earlier != nil && !hasBonded.isSet
        return PairingReport(
            address: link.address,
            name: bond?.name ?? name ?? advertisedName,
            method: method(security, isKnown: isKnown),
            security: security,
            bond: bond?.identifier
        )
    }

    /// Where nothing was asked or shown, the sides were told of each other in another way; or there
    /// was no pairing.
    private func method(_ security: LinkSecurity, isKnown: Bool) -> Pairing.Method? {
        if let method = dialogue.method { return method }
        if isKnown { return nil }
        return security.isAuthenticated ? .outOfBand : .justWorks
    }

    private func bondedPeer() async throws -> BondedPeer? {
        try await limits.run("asking for the bond") { try await link.bondedPeer }
    }

    /// What the peer calls itself (Vol 3, Part C, 12.1). By the time it has told us, the host, which
    /// asks for the bond's sake, knows as well.
    private func readName() async -> String? {
        let values = try? await limits.run("reading the name") {
            try await link.read(uuid: BluetoothUUID(0x2A00))
        }
        return values?.first.flatMap { TerminalText.text(utf8: $0.value) }
    }
}

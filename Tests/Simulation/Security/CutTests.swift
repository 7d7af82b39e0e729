// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

import struct BluetoothHost.Link

@testable import BluetoothHost

/// A link that ends at every step of a pairing: after each PDU that arrives, and by either side.
@Suite("A pairing that loses its link")
struct CutTests {
    typealias Side = HostPairingHarness.Side

    private static let side = Side(.displayYesNo) { $0.bondLossPolicy = .pairOnce }

    /// Returns the number of PDUs that an undisturbed pairing takes.
    private static func length() async throws -> Int {
        let harness = try HostPairingHarness()
        try await harness.run(strap: side, phone: side) { session in
            _ = try await session.toStrap.pair()
            try await harness.settle()
        }
        return harness.wire.pairingCount
    }

    @Test(
        "A pairing whose link ends leaves no partial bond, and the next pairing works",
        arguments: [false, true]
    )
    func cut(_ isByStrap: Bool) async throws {
        let length = try await Self.length()
        #expect(length > 10)
        for count in 1...length { try await Self.cut(after: count, byStrap: isByStrap) }
    }

    private static func cut(after count: Int, byStrap isByStrap: Bool) async throws {
        let harness = try HostPairingHarness(seed: UInt64(count))
        try await harness.run(strap: side, phone: side) { session in
            let alarm = harness.wire.alarm(after: count)
            let cutting = harness.task {
                for await _ in alarm {}
                let link = isByStrap ? session.toPhone : session.toStrap
                try? await link.disconnect()
            }
            let pairing = harness.task { try await session.toStrap.pair() }
            let result = await pairing.result
            _ = await cutting.result
            let ends = [try await session.toStrap.ended(), try await session.toPhone.ended()]
            #expect(ends.count == 2, "both sides report the end of the link")
            let isBonded = await expectWhole(session, "after \(count)")
            if case .success(let security) = result {
                #expect(security.isBonded && isBonded.phone, "after \(count)")
            } else {
                #expect(!isBonded.phone, "after \(count): a failed pairing leaves no bond")
            }
            let again = try await harness.connect(session.strap, session.phone, session.service)
            #expect(try await again.toStrap.pair().isAuthenticated, "after \(count)")
            try await harness.settle()
            try await MethodTests.expectBonds(again)
        }
    }

    /// Expects that every bond has all of its keys. Returns which side has a bond.
    private static func expectWhole(
        _ session: Session,
        _ comment: Comment
    ) async -> (phone: Bool, strap: Bool) {
        let (phones, straps) = (await session.phone.core.bonds, await session.strap.core.bonds)
        for bond in phones + straps {
            #expect(bond.peerKey != nil && bond.localKey == bond.peerKey, comment)
            #expect(bond.isAuthenticated && bond.keySize == 16, comment)
        }
        #expect(phones.count <= 1 && straps.count <= 1, comment)
        return (!phones.isEmpty, !straps.isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import Testing
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothHost

/// The packets between a bonded strap and phone before their link is encrypted.
@Suite("Before a link of bonded hosts is encrypted")
struct LeakTests {
    typealias Side = HostPairingHarness.Side

    private static let attributeProtocol: UInt16 = 0x0004

    /// PDUs without values of characteristics: errors, the MTU exchange, and the discovery of
    /// descriptors and services (Vol 3, Part F, 3.4.1 to 3.4.3, 3.4.4.9 and 3.4.4.10).
    private static let harmless: Set<UInt8> = [0x01, 0x02, 0x03, 0x04, 0x05, 0x10, 0x11]

    /// Returns the ATT PDUs that may contain a value and left a host without encryption.
    private func leaks(_ harness: HostPairingHarness) -> [WireRecord.Entry] {
        [harness.strapController, harness.phoneController].flatMap { controller in
            harness.wire.entriesBeforeEncryption(at: controller).filter { entry in
                guard case .frame(Self.attributeProtocol, let opcode, .toController) = entry else {
                    return false
                }
                return !Self.harmless.contains(opcode)
            }
        }
    }

    @Test("No value leaves either host before encryption, even if the applications act early")
    func eager() async throws {
        let harness = try HostPairingHarness()
        try await harness.run { session in
            _ = try await session.toStrap.pair()
            // The stream is held, so that the phone does not unsubscribe before it disconnects.
            let held = try await session.toStrap.subscribe(to: try await session.find(.stored))
            try await session.toStrap.disconnect()
            _ = try await session.toPhone.ended()
            let (strap, phone) = (session.strap, session.phone)
            let handle = session.handle(.stored)
            let links = strap.incomingLinks
            // The strap notifies as soon as a central connects.
            let notifying = harness.task {
                for await link in links {
                    for value in UInt8(0)..<20 {
                        try? await link.notify([value], of: handle)
                    }
                    return
                }
            }
            let again = try await harness.connect(strap, phone, session.service)
            try await again.toStrap.write([1], to: handle)
            #expect(try await again.toStrap.read(handle) == [1])
            _ = await notifying.result
            #expect(try await again.toStrap.security.isEncrypted)
            #expect(leaks(harness).isEmpty)
            _ = held
        }
    }

    @Test(
        "A strap without its bond gets no value, and the phone detects the loss",
        arguments: [BondLossPolicy.refuse, .ask, .pairOnce]
    )
    func bondLost(_ policy: BondLossPolicy) async throws {
        let harness = try HostPairingHarness()
        let phone = Side { $0.bondLossPolicy = policy }
        try await harness.run(phone: phone) { session in
            _ = try await session.toStrap.pair()
            try await harness.settle()
            let (known, events) = (await session.phone.bonds, await session.phone.securityEvents())
            try await session.toStrap.disconnect()
            _ = try await session.toPhone.ended()
            let forgotten = try #require(await session.strap.bonds.first)
            await session.strap.removeBond(forgotten.identifier)
            let isRefused = policy.isRefusal
            do {
                let again = try await harness.connect(session.strap, session.phone, session.service)
                #expect(!isRefused)
                #expect(try await again.toStrap.security.isEncrypted)
                #expect(try await again.toStrap.read(again.handle(.secret)) == [42])
                let bonds = await session.phone.bonds
                #expect(bonds.map(\.identifier) == known.map(\.identifier), "the same peer")
            } catch HostError.bondLost {
                #expect(isRefused)
                #expect(await session.phone.bonds == known, "the bond stays until it is removed")
            }
            #expect(leaks(harness).isEmpty)
            for await case .bondLost(let peer) in events {
                #expect(peer.identifier == known.first?.identifier)
                break
            }
        }
    }
}

extension BondLossPolicy {
    fileprivate var isRefusal: Bool {
        if case .refuse = self { true } else { false }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothSMP
import BluetoothTypes
import Foundation
import HCITransports
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Values that require encryption")
struct ProtectionTests {
    @Test("10.8 Requests without encryption are refused before the app gets them")
    func refused() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            try await fixture.client(configure: { $0.securesOnDemand = false }) { client in
                let secret = try await client.find(SampleService.secret)
                let read = try await client.refusal { _ = try await client.link.read(secret) }
                #expect(read == .insufficientAuthentication)
                let write = try await client.refusal {
                    try await client.link.write([1], to: secret)
                }
                #expect(write == .insufficientAuthentication)
                let subscription = try await client.refusal {
                    _ = try await client.link.subscribe(to: secret)
                }
                #expect(subscription == .insufficientAuthentication)
            }
            #expect(app.allRequests.isEmpty)
            #expect(!app.journal.lines.contains { $0.hasPrefix("subscribed") })
        }
    }

    @Test("4.2, 10.8 A central that pairs is served, keeps its identifier and receives values")
    func paired() async throws {
        let (service, all) = SampleService.make()
        nonisolated(unsafe) let value = try #require(all[SampleService.secret])
        let fixture = try Fixture()
        try await fixture.serve([service]) { app in
            app.answer { app, requests in
                if requests[0].value == nil { requests[0].value = Data([42]) }
                app.manager.respond(to: requests[0], withResult: .success)
            }
            try await fixture.client(configure: { $0.pairingDelegate = Consent() }) { client in
                _ = try await client.link.read(client.find(SampleService.dynamic))
                let identifier = app.centrals.first?.identifier
                let secret = try await client.find(SampleService.secret)
                // The refusal makes the central pair and read again.
                #expect(try await client.link.read(secret) == [42])
                #expect(try await client.link.security.isEncrypted)
                var values = try await client.link.subscribe(to: secret).makeAsyncIterator()
                await app.journal.wait(for: "subscribed A006 1")
                #expect(app.manager.updateValue(Data([7]), for: value, onSubscribedCentrals: nil))
                #expect(try await values.next() == [7])
                #expect(app.centrals.map(\.identifier) == [identifier])
            }
        }
    }

    @Test("10.8, 13.4 A central can pair for a value that was published before the last launch")
    func pairedAfterLaunch() async throws {
        let store = MemoryStore()
        let fixture = try Fixture { $0.store = store }
        let options = [CBPeripheralManagerOptionRestoreIdentifierKey: "sample"]
        try await fixture.serve([SampleService.make().0], options: options) { _ in
            await fixture.adapter.shutDown()
            let again = fixture.peripheral(on: try fixture.relaunch(store), options: options)
            again.answer { app, requests in
                requests[0].value = Data([42])
                app.manager.respond(to: requests[0], withResult: .success)
            }
            await again.journal.wait(for: "state poweredOn")
            try await fixture.client(configure: { $0.pairingDelegate = Consent() }) { client in
                let secret = try await client.find(SampleService.secret)
                #expect(try await client.link.read(secret) == [42])
            }
        }
    }

    @Test("A central cannot pair if no protected value is published")
    func nothingProtected() async throws {
        let service = CBMutableService(type: CBUUID(string: "B000"), primary: true)
        service.characteristics = [
            SampleService.characteristic("B001", .read, .readable, value: Data([1]))
        ]
        let fixture = try Fixture()
        try await fixture.serve([service]) { _ in
            try await fixture.client(configure: { $0.pairingDelegate = Consent() }) { client in
                await #expect(throws: Pairing.Failure.refusedByPeer(.pairingNotSupported)) {
                    try await client.link.pair()
                }
            }
        }
    }

    @Test("8.1 A peer that starts a pairing has to support LE Secure Connections")
    func legacy() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { _ in
            try await fixture.client { client in
                var policy = Pairing.Policy()
                (policy.usesSecureConnections, policy.allowsLegacyPairing) = (false, true)
                await #expect(
                    throws: Pairing.Failure.refusedByPeer(.authenticationRequirements)
                ) {
                    try await client.link.pair(policy)
                }
            }
        }
    }

    @Test("8.1 Published values do not allow a peripheral that requests security to pair")
    func securityRequest() async throws {
        let fixture = try Fixture(.demanding)
        try await fixture.serve([SampleService.make().0]) { _ in
            let phone = fixture.central()
            let door = try await phone.connectedPeripheral("Door")
            await phone.explore(door)
            for count in 1...20 {
                door.readValue(for: try door.characteristic("E001"))
                await phone.journal.wait(for: "value E001 05 ok", count: count)
            }
            let adapter = fixture.adapter.usage.running
            #expect(adapter?.facts.withLock { $0.bonds.isEmpty } == true)
        }
    }
}

/// A delegate that accepts every pairing.
struct Consent: PairingDelegate {
    func consents(to pairing: PairingRequest) async -> Bool { true }
}

extension SimpleAccessoryProfile {
    /// An accessory that requests pairing from every central and has no protected value.
    fileprivate static var demanding: SimpleAccessoryProfile {
        var pairing = AccessoryPairing(.noInputNoOutput)
        pairing.sendsSecurityRequest = true
        let value = Characteristic(BluetoothUUID(0xE001), .read, value: [5])
        return SimpleAccessoryProfile(
            name: "Door",
            services: [Service(BluetoothUUID(0xE000), [value])],
            pairing: pairing
        )
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothHost

/// The controller's public address, which a host has in addition to its random static identity
/// address.
@Suite("The public address, and directed advertising, in virtual time")
struct PublicAddressTests {
    @Test("A host reports the public address of its controller only while the adapter is ready")
    func property() async throws {
        let harness = try HostPairingHarness()
        try await harness.air.run(bound: .seconds(60)) {
            let host = try await harness.start(harness.phoneController, .init())
            let address = try #require(await host.publicAddress)
            #expect(address.kind == .public)
            await host.shutdown()
            #expect(await host.publicAddress == nil)
        }
    }

    @Test("A scan receives advertising that is directed at the address with which it scans")
    func directed() async throws {
        let harness = try HostPairingHarness()
        try await harness.air.run(bound: .seconds(60)) {
            let phone = try await harness.start(harness.phoneController, .init())
            let strap = try await harness.start(harness.strapController, .init())
            let target = try #require(await phone.publicAddress)
            let set = try await strap.advertise(Advertising(kind: .directed(target, .low)))
            #expect(try await Self.receives(phone, usesPublicAddress: true, harness))
            #expect(try await !Self.receives(phone, usesPublicAddress: false, harness))
            await set.stop()
            await strap.shutdown()
            await phone.shutdown()
        }
    }

    @Test(
        "Extended advertising without connections reaches its recipient only",
        arguments: [Advertising.Kind.nonConnectable, .scannable]
    )
    func recipient(_ kind: Advertising.Kind) async throws {
        let harness = try HostPairingHarness()
        try await harness.air.run(bound: .seconds(60)) {
            let phone = try await harness.start(harness.phoneController, .init())
            let strap = try await harness.start(harness.strapController, .init())
            var advertising = Advertising(
                rawAdvertisingData: kind == .scannable ? [] : [2, 0x0A, 4],
                scanResponse: kind == .scannable ? [2, 0x0A, 4] : [],
                kind: kind,
                form: .extended
            )
            advertising.recipient = HostServingHarness.phone
            var set = try await strap.advertise(advertising)
            #expect(try await Self.receives(phone, usesPublicAddress: false, harness))
            await set.stop()
            advertising.recipient = HostServingHarness.strap
            set = try await strap.advertise(advertising)
            #expect(try await !Self.receives(phone, usesPublicAddress: false, harness))
            await set.stop()
            await strap.shutdown()
            await phone.shutdown()
        }
    }

    @Test("A recipient is refused for legacy and for connectable advertising")
    func refusals() async throws {
        let harness = try HostPairingHarness()
        try await harness.air.run(bound: .seconds(60)) {
            let strap = try await harness.start(harness.strapController, .init())
            for (kind, form) in [
                (Advertising.Kind.nonConnectable, Advertising.Form.legacy),
                (.connectable, .extended),
            ] {
                var advertising = Advertising(kind: kind, form: form)
                advertising.recipient = HostServingHarness.phone
                await #expect(throws: AdvertisingError.self) {
                    _ = try await strap.advertise(advertising)
                }
            }
            await strap.shutdown()
        }
    }

    /// Returns whether a scan of two seconds receives directed advertising.
    private static func receives(
        _ host: BluetoothHost,
        usesPublicAddress: Bool,
        _ harness: HostPairingHarness
    ) async throws -> Bool {
        var parameters = ScanParameters()
        parameters.usesPublicAddress = usesPublicAddress
        let scan = harness.task { [parameters] in
            for try await found in host.scan(parameters: parameters) where found.isDirected {
                return true
            }
            return false
        }
        try await harness.air.sleep(for: .seconds(2))
        scan.cancel()
        return try await scan.value
    }

    @Test("Combined scans use the host's own address if one of them requires it")
    func combined() {
        var isPublic = ScanParameters()
        isPublic.usesPublicAddress = true
        #expect([isPublic, isPublic].combined?.usesPublicAddress == true)
        #expect([isPublic, ScanParameters()].combined?.usesPublicAddress == false)
        #expect([ScanParameters(), isPublic].combined?.usesPublicAddress == false)
    }

    @Test(
        "A host connects and pairs with its public address, with and without private addresses",
        arguments: [Privacy.off, .on]
    )
    func connecting(_ privacy: Privacy) async throws {
        let harness = try HostPairingHarness()
        try await harness.air.run(bound: .seconds(60)) {
            let phone = try await harness.start(
                harness.phoneController,
                .init(.displayYesNo) { $0.privacy = privacy }
            )
            let strap = try await harness.start(harness.strapController, .init(.displayYesNo))
            let set = try await strap.advertise(Advertising())
            var options = ConnectOptions()
            options.parameters.usesPublicAddress = true
            let link = try await phone.connect(to: HostServingHarness.strap, options: options)
            await set.stop()
            let toPhone = try #require(await strap.links.last)
            let own = await phone.publicAddress
            #expect(toPhone.address == own)
            // The checks of LE Secure Connections include the addresses of the link.
            #expect(try await link.pair().isAuthenticated)
            await phone.shutdown()
            await strap.shutdown()
        }
    }
}

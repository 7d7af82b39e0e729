// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothL2CAP
import BluetoothPort
import BluetoothTypes
import Foundation
import Synchronization
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothClients
@testable import CoreBluetooth

/// A phone with a central manager, connected to a lamp whose host the test controls. The lamp has
/// no manager: the test observes at the lamp's host what a manager of the phone does with channels.
final class ChannelFixture: Sendable {
    let fixture: Fixture
    let lamp: BluetoothHost
    private let lampAdapter: ControllerID

    init(seed: UInt64 = 1) throws {
        fixture = try Fixture(seed: seed)
        lampAdapter = try fixture.air.world.addController(
            ControllerConfiguration(name: "lamp", at: Position(x: 1, y: 0))
        )
        var configuration = HostConfiguration()
        configuration.address = DeviceAddress(
            value: 0xC0_0000_0000_77 | 0xC000_0000_0000,
            kind: .random
        )
        lamp = BluetoothHost(
            transport: fixture.air.adapter(of: lampAdapter),
            configuration: configuration,
            executor: fixture.air.executor
        )
    }

    /// The phone and the lamp's link, after they have connected.
    struct Connection: Sendable {
        let phone: CentralRecorder
        /// The lamp's side of the link.
        let link: Link

        var journal: Journal { phone.journal }
    }

    func run(_ body: @escaping @Sendable (Connection) async throws -> Void) async throws {
        try await fixture.run { [self] in
            try await lamp.start()
            let incoming = lamp.incomingLinks
            _ = try await lamp.advertise(Advertising(AdvertisingContent(localName: "Lamp")))
            let phone = fixture.central()
            await phone.journal.wait(for: "state poweredOn")
            phone.manager.scanForPeripherals(withServices: nil)
            await phone.journal.wait(for: "discovered Lamp")
            phone.manager.stopScan()
            phone.manager.connect(try #require(phone["Lamp"]))
            await phone.journal.wait(for: "connected Lamp")
            var links = incoming.makeAsyncIterator()
            let link = try #require(await links.next())
            do {
                try await body(Connection(phone: phone, link: link))
                await lamp.shutdown()
            } catch {
                await lamp.shutdown()
                throw error
            }
        }
    }
}

extension ChannelFixture: OutsideWork {
    func beginOutsideWork() { fixture.air.executor.beginOutsideWork() }
    func endOutsideWork() { fixture.air.executor.endOutsideWork() }
}

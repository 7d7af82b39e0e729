// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import HCITransports
import Lanyard
import VirtualAdapters
import VirtualRadio

/// A device on which the application runs: its Bluetooth, and what the person who holds it does.
public final class TestPhone: Sendable {
    /// How it is called.
    public let name: String
    /// Its Bluetooth, for code that makes managers itself:
    /// `options: [CBManagerOptionAdapterKey: phone.adapter]`.
    public let adapter: CBAdapter
    let controller: ControllerID
    unowned let world: TestWorld

    init(_ name: String, number: Int, at position: Position, in world: TestWorld) {
        self.name = name
        self.world = world
        let place = ControllerConfiguration(name: name, at: position)
        do throws(WorldFullError) {
            controller = try world.air.world.addController(place)
        } catch {
            preconditionFailure("\(error): \(name) finds no room in it")
        }
        var configuration = HostConfiguration()
        configuration.store = MemoryStore()
        configuration.address = DeviceAddress(
            value: 0xC0DE_0000_0000 | UInt64(number),
            kind: .random
        )
        adapter = CBAdapter(
            transport: world.air.adapter(of: controller),
            executor: world.air.executor,
            configuration: configuration
        )
    }

    /// Whether Bluetooth is switched on in its settings.
    public var isPoweredOn: Bool {
        get { adapter.isPoweredOn }
        set { adapter.isPoweredOn = newValue }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Runs a host and an accessory on the virtual radio, and moves the host out of range.

// snippet.program
import BluetoothHost
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

let air = SimulatedAir(seed: 7)
let lamp = SimpleAccessory(.batteryLamp(name: "Lamp"))
try air.world.addController(ControllerConfiguration(name: "lamp"), host: lamp)
let phone = try air.addAdapter(ControllerConfiguration(name: "phone"))

try await air.run(bound: .seconds(60)) {
    let host = BluetoothHost(transport: phone, executor: air.executor)
    try await host.start()
    for try await found in host.scan(for: ScanFilter(name: "Lamp")) {
        let link = try await host.connect(to: found.address)
        air.world.move(phone.controller, to: Position(x: 500, y: 0))  // meters
        print(try await link.ended(), "at", air.now)  // the supervision timeout
        break
    }
    await host.shutdown()
}
// snippet.end

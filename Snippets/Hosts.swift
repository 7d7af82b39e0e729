// SPDX-License-Identifier: Apache-2.0
//! Uses the Bluetooth host directly, as a central and as a peripheral.

// snippet.central
import BluetoothHost
import HCITransports

let host = BluetoothHost(transport: TCPTransport(host: "127.0.0.1", port: 6402))
try await host.start()

for try await found in host.scan(for: ScanFilter(name: "Thermometer")) {
    let link = try await host.connect(to: found.address)
    for service in try await link.discoverServices(uuid: BluetoothUUID(0x1809)) {
        for characteristic in try await link.discoverCharacteristics(of: service)
        where characteristic.properties.contains(.indicate) {
            let values = try await link.subscribe(to: characteristic)
            for try await value in values.prefix(10) { print(characteristic.uuid, value) }
        }
    }
    try await link.disconnect()
    break
}
await host.shutdown()
// snippet.end

func serve(with host: BluetoothHost) async throws {
    // snippet.peripheral
    let battery = try await host.publish(
        GATT.ServiceDefinition(
            BluetoothUUID(0x180F),
            [.init(BluetoothUUID(0x2A19), [.read, .notify], value: .stored([100]))]
        )
    )
    let level = battery.characteristics[0].valueHandle
    let content = AdvertisingContent(localName: "Lamp", serviceUUIDs: [BluetoothUUID(0x180F)])
    _ = try await host.advertise(Advertising(content))

    for percent in stride(from: UInt8(99), through: 0, by: -1) {
        try await Task.sleep(for: .seconds(60))
        try await host.setValue([percent], of: level)
        for link in await host.subscribers(of: level) {
            try await link.notify([percent], of: level)
        }
    }
    // snippet.end
}

func makeConfiguration() throws -> HostConfiguration {
    // snippet.store
    var configuration = HostConfiguration()
    configuration.store = try FileStore(directory: "/var/lib/thermostat/bluetooth")
    // snippet.end
    return configuration
}

func pair(over transport: any HCITransport, asking approver: any PairingDelegate) async throws {
    // snippet.window
    var configuration = HostConfiguration()
    configuration.pairingDelegate = approver
    configuration.pairingWindow = .seconds(120)
    let host = BluetoothHost(transport: transport, configuration: configuration)
    try await host.start()
    await host.openPairingWindow(for: .seconds(120))  // when the button is pressed
    // snippet.end
}

func receive(
    _ heartRate: GATT.Characteristic,
    on link: Link,
    of host: BluetoothHost
) async throws {
    // snippet.executor
    try await withTaskExecutorPreference(host.executor.taskExecutor) {
        for try await value in try await link.subscribe(to: heartRate) { print(value) }
    }
    // snippet.end
}

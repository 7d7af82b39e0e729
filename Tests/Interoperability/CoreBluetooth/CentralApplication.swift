// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import BluetoothHost
    import CoreBluetooth
    import Dispatch
    import Foundation
    import HCITransports
    import Testing

    /// An app as a developer would write it for a phone. It reports each callback as a line
    /// of text.
    ///
    /// Unchecked: its mutable state changes on the queue before the line is sent, and the test
    /// reads that state only after it has received the line.
    final class CentralApplication: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
        @unchecked Sendable
    {
        let adapter: CBAdapter
        private(set) var manager: CBCentralManager?
        private(set) var peripheral: CBPeripheral?
        private let callbacks = CallbackLines()

        init(controller: String) throws {
            let specification = try AdapterSpecification(controller)
            adapter = CBAdapter(transport: specification.makeTransport())
            super.init()
            manager = CBCentralManager(
                delegate: self,
                queue: DispatchQueue(label: "application"),
                options: [CBManagerOptionAdapterKey: adapter]
            )
        }

        /// Waits for the next callback whose line has this prefix, and drops the lines before it.
        /// Returns the rest of the line.
        @discardableResult
        func awaitLine(_ beginning: String, within limit: Duration = HostFixture.limit) async throws
            -> String
        {
            try await callbacks.awaitLine([beginning], within: limit)
        }

        /// Connects to an accessory that advertises the service, or to any accessory for `nil`.
        func connect(to service: CBUUID?) async throws -> CBPeripheral {
            try await awaitLine("on")
            manager?.scanForPeripherals(withServices: service.map { [$0] })
            try await awaitLine("found")
            let peripheral = try #require(peripheral)
            manager?.connect(peripheral)
            try await awaitLine("connected")
            return peripheral
        }

        /// Discovers all services and characteristics.
        func explore() async throws {
            peripheral?.discoverServices(nil)
            try await awaitLine("services")
            for service in peripheral?.services ?? [] {
                peripheral?.discoverCharacteristics(nil, for: service)
                try await awaitLine("characteristics")
            }
        }

        /// Returns the discovered characteristic with a UUID.
        func find(_ uuid: BluetoothUUID) throws -> CBCharacteristic {
            let all = (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }
            let wanted = CBUUID(string: uuid.description)
            return try #require(all.first { $0.uuid == wanted }, "\(uuid) is not there")
        }

        /// Writes a command to the control point of a demo accessory.
        func command(_ command: Demo.Command, count: Int = 0, size: Int = 0) throws {
            let arguments = [count, size].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            peripheral?.writeValue(
                Data([command.rawValue] + arguments),
                for: try find(Demo.control),
                type: .withResponse
            )
        }

        private func send(_ line: String) { callbacks.send(line) }

        private func text(_ error: (any Error)?) -> String {
            switch error {
            case nil: "ok"
            case let error as CBError: "CBError \(error.code.rawValue)"
            case let error as CBATTError: "CBATTError \(error.code.rawValue)"
            case let error?: "\(error)"
            }
        }

        // MARK: CBCentralManagerDelegate

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            send(central.state == .poweredOn ? "on" : "off")
        }

        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            guard self.peripheral == nil else { return }
            self.peripheral = peripheral
            peripheral.delegate = self
            central.stopScan()
            send("found \(peripheral.name ?? "without a name")")
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            send("connected")
        }

        func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: (any Error)?
        ) {
            send("disconnected \(text(error))")
        }

        // MARK: CBPeripheralDelegate

        func peripheral(
            _ peripheral: CBPeripheral,
            didModifyServices invalidatedServices: [CBService]
        ) {
            send("modified \(invalidatedServices.map(\.uuid.uuidString).joined(separator: " "))")
        }

        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
            send("services \(text(error))")
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            send("characteristics \(text(error))")
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateNotificationStateFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            send("notifying \(characteristic.isNotifying) \(text(error))")
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            let bytes = (characteristic.value ?? Data()).map { String(format: "%02x", $0) }
            send("value \(text(error)) \(bytes.joined())")
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didWriteValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            send("wrote \(text(error))")
        }
    }

    /// Gives `body` an app on the first of two controllers. The adapter shuts down
    /// afterward.
    func withApplication(
        on kind: ControllerKind,
        _ body: (CentralApplication, PeerGroup, Controllers) async throws -> Void
    ) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind, count: 2)
            let application = try CentralApplication(controller: controllers.adapters[0])
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(application, peers, controllers))
            } catch {
                result = .failure(error)
            }
            await application.adapter.shutDown()
            try result.get()
        }
    }

    extension [UInt8] {
        /// The hexadecimal digits of the bytes, in the format of the lines.
        var digits: String { map { String(format: "%02x", $0) }.joined() }
    }
#endif

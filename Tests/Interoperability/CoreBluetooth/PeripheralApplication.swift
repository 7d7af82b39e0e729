// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import BluetoothHost
    import CoreBluetooth
    import Dispatch
    import Foundation
    import HCITransports
    import Testing

    /// An app with a peripheral manager, as a developer would write it for a phone. It publishes
    /// one service with values of five kinds, and reports each callback as a line of text.
    ///
    /// Unchecked: its mutable state is used only on its queue, and the manager may be used from any
    /// thread.
    final class PeripheralApplication: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
        static let service = "A000"
        static let fixed = "A001"
        static let dynamic = "A002"
        static let notified = "A003"
        static let indicated = "A004"
        static let secret = "A005"

        let adapter: CBAdapter
        let queue = DispatchQueue(label: "application")
        private var manager: CBPeripheralManager?
        private var characteristics: [String: CBMutableCharacteristic] = [:]
        private let callbacks = CallbackLines()
        /// The value of `dynamic`.
        private var content = Data(Demo.pattern(512))
        /// The values that are still to be sent.
        private var outbox: [Data] = []

        init(on adapter: CBAdapter) {
            self.adapter = adapter
            super.init()
            manager = CBPeripheralManager(
                delegate: self,
                queue: queue,
                options: [CBManagerOptionAdapterKey: adapter]
            )
        }

        /// Waits for the next callback whose line has this prefix, and drops the lines before it.
        /// Returns the rest of the line.
        @discardableResult
        func awaitLine(_ beginning: String) async throws -> String {
            try await callbacks.awaitLine([beginning], within: HostFixture.limit)
        }

        /// Sends values as long as the transmit queue has room, and continues when it has room
        /// again.
        func send(_ values: [Data]) {
            queue.async { [self] in
                outbox = values
                empty(as: Self.notified)
            }
        }

        /// Sends one value as an indication.
        func indicate(_ value: Data) {
            queue.async { [self] in
                guard let characteristic = characteristics[Self.indicated] else { return }
                _ = manager?.updateValue(value, for: characteristic, onSubscribedCentrals: nil)
            }
        }

        private func empty(as uuid: String) {
            guard let manager, let characteristic = characteristics[uuid] else { return }
            while let next = outbox.first {
                guard manager.updateValue(next, for: characteristic, onSubscribedCentrals: nil)
                else { return callbacks.send("full") }
                outbox.removeFirst()
            }
            callbacks.send("sent")
        }

        private func publish() {
            add(Self.fixed, .read, .readable, value: Data(Demo.pattern(20)))
            add(Self.dynamic, [.read, .write, .writeWithoutResponse], [.readable, .writeable])
            add(Self.notified, .notify, .readable)
            add(Self.indicated, .indicate, .readable)
            add(
                Self.secret,
                [.read, .notifyEncryptionRequired],
                [.readEncryptionRequired, .writeEncryptionRequired]
            )
            let service = CBMutableService(type: CBUUID(string: Self.service), primary: true)
            service.characteristics = characteristics.values.sorted {
                $0.uuid.uuidString < $1.uuid.uuidString
            }
            manager?.add(service)
        }

        private func add(
            _ uuid: String,
            _ properties: CBCharacteristicProperties,
            _ permissions: CBAttributePermissions,
            value: Data? = nil
        ) {
            characteristics[uuid] = CBMutableCharacteristic(
                type: CBUUID(string: uuid),
                properties: properties,
                value: value,
                permissions: permissions
            )
        }

        // MARK: CBPeripheralManagerDelegate

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            if peripheral.state == .poweredOn { publish() }
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            didAdd service: CBService,
            error: (any Error)?
        ) {
            peripheral.startAdvertising([
                CBAdvertisementDataLocalNameKey: "Server",
                CBAdvertisementDataServiceUUIDsKey: [service.uuid],
            ])
        }

        func peripheralManagerDidStartAdvertising(
            _ peripheral: CBPeripheralManager,
            error: (any Error)?
        ) {
            callbacks.send("advertising \(error == nil ? "ok" : "\(String(describing: error))")")
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            central: CBCentral,
            didSubscribeTo characteristic: CBCharacteristic
        ) {
            callbacks.send("subscribed \(characteristic.uuid.uuidString)")
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            central: CBCentral,
            didUnsubscribeFrom characteristic: CBCharacteristic
        ) {
            callbacks.send("unsubscribed \(characteristic.uuid.uuidString)")
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            didReceiveRead request: CBATTRequest
        ) {
            callbacks.send("read \(request.characteristic.uuid.uuidString) \(request.offset)")
            guard request.offset <= content.count else {
                return peripheral.respond(to: request, withResult: .invalidOffset)
            }
            request.value = content.dropFirst(request.offset)
            peripheral.respond(to: request, withResult: .success)
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            didReceiveWrite requests: [CBATTRequest]
        ) {
            let offsets = requests.map { "\($0.offset)" }.joined(separator: " ")
            callbacks.send("write \(offsets)")
            guard requests[0].value != Data([0xFF]) else {
                guard let refusal = CBATTError.Code(rawValue: 0x80) else { return }
                return peripheral.respond(to: requests[0], withResult: refusal)
            }
            content = requests.reduce(into: Data()) { $0 += $1.value ?? Data() }
            peripheral.respond(to: requests[0], withResult: .success)
        }

        func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
            empty(as: Self.notified)
        }
    }

    /// Gives `body` an advertising app on controllers of a kind, and a Bumble client that
    /// is not connected yet. Afterward Wireshark, if it is installed, checks the packets.
    func withPeripheralApplication(
        on kind: ControllerKind,
        configuration: HostConfiguration = HostConfiguration(),
        at location: SourceLocation = #_sourceLocation,
        _ body: (PeripheralApplication, Client) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.address = HostFixture.address()
        let trace = Trace()
        let count = try await withPeers { peers in
            let controllers = try await peers.controllers(kind, count: 2)
            let specification = try AdapterSpecification(controllers.adapters[0])
            let transport = WatchedTransport(
                wrapping: try TracingTransport(
                    wrapping: specification.makeTransport(),
                    path: trace.path
                )
            )
            let adapter = CBAdapter(transport: transport, configuration: configuration)
            let application = PeripheralApplication(on: adapter)
            let client = try await peers.client(
                on: controllers.adapters[1],
                address: Client.address(at: 0).description
            )
            do {
                #expect(try await application.awaitLine("advertising ") == "ok")
                try await body(application, client)
            } catch {
                trace.keep()
                await adapter.shutDown()
                throw error
            }
            await adapter.shutDown()
            return transport.count
        }
        if Dissection.isPossible {
            try await trace.expectWellFormed(count: count, of: .both, at: location)
        }
    }
#endif

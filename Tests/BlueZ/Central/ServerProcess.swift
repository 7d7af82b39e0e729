// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import ProcessTestSupport

/// An app with a peripheral manager. It reports callbacks as lines of text.
///
/// Unchecked: its mutable state is used only on its queue, and the manager may be used from any
/// thread.
final class ServerProcess: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    static let service = "A000"
    /// A value that the manager holds.
    static let fixed = "A001"
    /// A value that the app provides.
    static let dynamic = "A002"
    static let notified = "A003"
    static let indicated = "A004"
    /// A value that requires an encrypted link.
    static let secret = "A005"

    private let queue = DispatchQueue(label: "application")
    private var manager: CBPeripheralManager?
    private let characteristics: [String: CBMutableCharacteristic]
    private let callbacks = CallbackLines()
    /// The value of `dynamic`.
    private var content = Data(ServerFixture.pattern(512))
    /// The values that are still to be sent.
    private var outbox: [Data] = []

    init(on adapter: CBAdapter) {
        characteristics = Dictionary(
            uniqueKeysWithValues: Self.makeCharacteristics().map { ($0.uuid.uuidString, $0) }
        )
        super.init()
        manager = CBPeripheralManager(
            delegate: self,
            queue: queue,
            options: [CBManagerOptionAdapterKey: adapter]
        )
    }

    private static func makeCharacteristics() -> [CBMutableCharacteristic] {
        [
            make(fixed, .read, .readable, value: Data(ServerFixture.pattern(20))),
            make(dynamic, [.read, .write, .writeWithoutResponse], [.readable, .writeable]),
            make(notified, .notify, .readable),
            make(indicated, .indicate, .readable),
            make(secret, [.read, .notifyEncryptionRequired], .readEncryptionRequired),
        ]
    }

    private static func make(
        _ uuid: String,
        _ properties: CBCharacteristicProperties,
        _ permissions: CBAttributePermissions,
        value: Data? = nil
    ) -> CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: CBUUID(string: uuid),
            properties: properties,
            value: value,
            permissions: permissions
        )
    }

    /// Waits for the next callback whose line has this prefix, and drops the lines before it.
    /// Returns the rest of the line.
    @discardableResult
    func awaitLine(_ beginning: String) async throws -> String {
        try await callbacks.awaitLine([beginning], within: Limits.step)
    }

    /// Sends values to the subscribers, as fast as the transmit queue has room.
    func send(_ values: [[UInt8]], as uuid: String) {
        queue.async { [self] in
            outbox = values.map { Data($0) }
            empty(as: uuid)
        }
    }

    /// Adds another service.
    func add(_ service: CBMutableService) { manager?.add(service) }

    func remove(_ service: CBMutableService) { manager?.remove(service) }

    private func empty(as uuid: String) {
        guard let manager, let characteristic = characteristics[uuid] else { return }
        while let next = outbox.first {
            guard manager.updateValue(next, for: characteristic, onSubscribedCentrals: nil)
            else { return }
            outbox.removeFirst()
        }
    }

    // MARK: CBPeripheralManagerDelegate

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: Self.service), primary: true)
        service.characteristics = characteristics.values.sorted {
            $0.uuid.uuidString < $1.uuid.uuidString
        }
        peripheral.add(service)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    ) {
        callbacks.send("added \(service.uuid.uuidString)")
        guard service.uuid.uuidString == Self.service else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: ServerFixture.name,
            CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    ) {
        callbacks.send("advertising \(error.map { "\($0)" } ?? "ok")")
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
        callbacks.send("read \(request.characteristic.uuid.uuidString)")
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
        content = requests.reduce(into: Data()) { $0 += $1.value ?? Data() }
        callbacks.send("written \(content.count)")
        let isAccepted = content.first != 0xFF
        peripheral.respond(
            to: requests[0],
            withResult: isAccepted ? .success : .requestNotSupported
        )
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        empty(as: Self.notified)
    }
}

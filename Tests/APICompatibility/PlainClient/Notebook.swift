// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// A peripheral as in most apps, with the forced and implicit unwrapping that is common in them.

/// An app that publishes a note, which centrals can read in parts, write, and subscribe to.
final class Notebook: NSObject, CBPeripheralManagerDelegate {
    static let service = CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    static let page = CBUUID(string: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E")
    // swift-format-ignore: NeverForceUnwrap
    static let full = CBATTError.Code(rawValue: 0x80)!

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private var manager: CBPeripheralManager!
    private(set) var text = Data()
    private var waiting: [Data] = []
    let limit = 512

    let pageCharacteristic = CBMutableCharacteristic(
        type: Notebook.page,
        properties: [.read, .write, .notify, .writeWithoutResponse],
        value: nil,
        permissions: [.readable, .writeable]
    )

    func open() {
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func makeService() -> CBMutableService {
        let title = CBMutableCharacteristic(
            type: CBUUID(string: "2A00"),
            properties: .read,
            value: Data("Notebook".utf8),
            permissions: .readable
        )
        pageCharacteristic.descriptors = [
            CBMutableDescriptor(
                type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString),
                value: "A page"
            )
        ]
        let service = CBMutableService(type: Notebook.service, primary: true)
        service.characteristics = [pageCharacteristic, title]
        return service
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.removeAllServices()
        peripheral.add(makeService())
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: Error?
    ) {
        if let error = error as? CBError, error.code == .uuidNotAllowed { return }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Notebook",
            CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        if (error as? CBError)?.code == .alreadyAdvertising { peripheral.stopAdvertising() }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
    {
        guard request.offset <= text.count else {
            peripheral.respond(to: request, withResult: .invalidOffset)
            return
        }
        request.value = text.subdata(in: request.offset..<text.count)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    ) {
        guard let first = requests.first else { return }
        switch written(requests.map { ($0.offset, $0.value ?? Data()) }) {
        case .success(let text):
            self.text = text
            peripheral.respond(to: first, withResult: .success)
            send(text)
        case .failure(let error):
            peripheral.respond(to: first, withResult: error.code)
        }
    }

    /// Returns the text that results from the writes of one unit, in order. Fails with
    /// `invalidOffset` if a write begins beyond the end of the text so far, and with `full` if the
    /// result is longer than `limit`.
    func written(_ pieces: [(offset: Int, value: Data)]) -> Result<Data, CBATTError> {
        var new = Data()
        for piece in pieces {
            guard piece.offset <= new.count else { return .failure(CBATTError(.invalidOffset)) }
            new = new.prefix(piece.offset) + piece.value
        }
        return new.count <= limit ? .success(new) : .failure(CBATTError(Notebook.full))
    }

    func send(_ value: Data) {
        let centrals = pageCharacteristic.subscribedCentrals ?? []
        let room = centrals.map { $0.maximumUpdateValueLength }.min() ?? 20
        waiting.append(value.prefix(room))
        drain()
    }

    private func drain() {
        while let next = waiting.first,
            manager.updateValue(next, for: pageCharacteristic, onSubscribedCentrals: nil)
        {
            waiting.removeFirst()
        }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        drain()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        peripheral.setDesiredConnectionLatency(.low, for: central)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The peripheral, which publishes a PSM, offers it in a characteristic, and receives files.
final class FileReceiver: NSObject {
    private let folder: URL
    private lazy var manager = CBPeripheralManager(delegate: self, queue: nil)
    /// The current transfers. Each one retains its channel, which closes when it is released.
    private var receptions: [Reception] = []

    init(into folder: URL) {
        self.folder = folder
        super.init()
        _ = manager
    }

    private func publish(_ psm: CBL2CAPPSM) {
        let service = CBMutableService(type: DropService.service, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: DropService.psm,
                properties: .read,
                value: DropService.bytes(of: psm),
                permissions: .readable
            )
        ]
        manager.add(service)
    }

    private func ended(_ reception: Reception, _ outcome: Reception.Outcome) {
        switch outcome {
        case .received(let parcel): keep(parcel)
        case .failed(let reason): say("A file was not received: \(reason)")
        }
        receptions.removeAll { $0 === reception }
    }

    private func keep(_ parcel: Parcel) {
        // The sender is not trusted: its file name must not lead out of the folder, create a hidden
        // file, or replace an existing file.
        let name = URL(fileURLWithPath: "/" + parcel.name).lastPathComponent
        guard !name.isEmpty, name != "/", !name.hasPrefix(".") else {
            return say("\(parcel.name.debugDescription) is not a valid file name")
        }
        do {
            let place = folder.appendingPathComponent(name)
            try parcel.content.write(to: place, options: .withoutOverwriting)
            say("Received \(name), \(parcel.content.count) bytes")
        } catch {
            say("\(name) cannot be stored: \(error.localizedDescription)")
        }
    }
}

extension FileReceiver: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        switch peripheral.state {
        case .poweredOn: peripheral.publishL2CAPChannel(withEncryption: false)
        case .unsupported, .unauthorized:
            say("Bluetooth is not available on this computer")
            exit(1)
        default: say("Bluetooth is off")
        }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        if let error { return say("Cannot publish a channel: \(error.localizedDescription)") }
        say("Published PSM \(PSM)")
        publish(PSM)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    ) {
        if let error { return say("Cannot publish the PSM: \(error.localizedDescription)") }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Drop",
            CBAdvertisementDataServiceUUIDsKey: [DropService.service],
        ])
    }

    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    ) {
        say(error.map { "Cannot advertise: \($0.localizedDescription)" } ?? "Waiting for files")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        guard let channel else { return }
        say("A central opened a channel")
        receptions.append(
            Reception(channel) { [weak self] reception, outcome in self?.ended(reception, outcome) }
        )
    }
}

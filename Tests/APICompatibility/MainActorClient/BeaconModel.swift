// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A peripheral on the main actor that advertises and accepts L2CAP channels.
@MainActor
final class BeaconModel: NSObject, @MainActor CBPeripheralManagerDelegate {
    private(set) var isVisible = false
    private(set) var psm: CBL2CAPPSM?
    private(set) var channels: [CBL2CAPChannel] = []
    private var manager: CBPeripheralManager?

    func start() {
        manager = CBPeripheralManager(delegate: self, queue: .main)
    }

    func stop() {
        manager?.stopAdvertising()
        if let psm { manager?.unpublishL2CAPChannel(psm) }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else {
            isVisible = false
            return
        }
        peripheral.publishL2CAPChannel(withEncryption: false)
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Beacon"])
    }

    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    ) {
        isVisible = error == nil
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        psm = error == nil ? PSM : nil
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        guard let channel else { return }
        channel.inputStream.open()
        channel.outputStream.open()
        channels.append(channel)
    }
}

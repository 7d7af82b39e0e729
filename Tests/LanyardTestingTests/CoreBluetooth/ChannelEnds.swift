// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Lanyard

/// A channel that a delegate passes to a test.
///
/// `@unchecked Sendable`: the delegate does not keep the channel, so only the test uses it.
struct SentChannel: @unchecked Sendable {
    let channel: CBL2CAPChannel
}

/// A publisher of an L2CAP channel, which reports its number and the opened channels, like an app
/// that uses Core Bluetooth directly.
///
/// `@unchecked Sendable`: only `queue` uses the manager, and the streams are `Sendable`.
final class ChannelPublisher: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    let numbers: AsyncStream<CBL2CAPPSM>
    let channels: AsyncStream<SentChannel>
    private let number: AsyncStream<CBL2CAPPSM>.Continuation
    private let channel: AsyncStream<SentChannel>.Continuation
    private let queue = DispatchQueue(label: "channel publisher")
    private var manager: CBPeripheralManager?

    init(on adapter: CBAdapter) {
        (numbers, number) = AsyncStream.makeStream()
        (channels, channel) = AsyncStream.makeStream()
        super.init()
        manager = CBPeripheralManager(
            delegate: self,
            queue: queue,
            options: [CBManagerOptionAdapterKey: adapter]
        )
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.publishL2CAPChannel(withEncryption: false)
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [Box.service.cbuuid]
        ])
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        number.yield(PSM)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        if let channel { self.channel.yield(SentChannel(channel: channel)) }
    }
}

/// A client that finds the publisher and opens a channel to it.
///
/// `@unchecked Sendable`: only `queue` uses the manager and the peripheral, and the stream is
/// `Sendable`.
final class ChannelOpener: NSObject, @unchecked Sendable {
    let channels: AsyncStream<SentChannel>
    private let channel: AsyncStream<SentChannel>.Continuation
    private let psm: CBL2CAPPSM
    private let queue = DispatchQueue(label: "channel opener")
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?

    init(_ psm: CBL2CAPPSM, on adapter: CBAdapter) {
        (channels, channel) = AsyncStream.makeStream()
        self.psm = psm
        super.init()
        manager = CBCentralManager(
            delegate: self,
            queue: queue,
            options: [CBManagerOptionAdapterKey: adapter]
        )
    }

    /// Disconnects from the publisher.
    func leave() {
        queue.async { [self] in
            if let peripheral { manager?.cancelPeripheralConnection(peripheral) }
        }
    }
}

extension ChannelOpener: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [Box.service.cbuuid])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        central.stopScan()
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.openL2CAPChannel(psm)
    }
}

extension ChannelOpener: CBPeripheralDelegate {
    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        if let channel { self.channel.yield(SentChannel(channel: channel)) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Synchronization

/// A delegate of peripherals and of a peripheral manager that writes the events of channels into
/// its journal, and keeps the channels.
///
/// Unchecked: its variables are behind `lock`.
final class ChannelDelegate: NSObject, CBPeripheralDelegate, CBPeripheralManagerDelegate,
    @unchecked Sendable
{
    let journal = Journal()
    private let lock = NSLock()
    private var channels: [CBL2CAPChannel] = []

    /// Returns the result of `body` for the channel at an index.
    func withChannel<Value>(_ place: Int = 0, _ body: (CBL2CAPChannel) throws -> Value) rethrows
        -> Value?
    {
        lock.lock()
        let channel = channels.indices.contains(place) ? channels[place] : nil
        lock.unlock()
        return try channel.map(body)
    }

    func dropChannels() {
        lock.lock()
        let dropped = channels
        channels = []
        lock.unlock()
        withExtendedLifetime(dropped) {}
    }

    private func keep(_ channel: CBL2CAPChannel?, _ error: (any Error)?) {
        if let channel { lock.withLock { channels.append(channel) } }
        journal.add("opened \(channel.map { "\($0.psm)" } ?? "nil") \(text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        keep(channel, error)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didCompleteChannelSoundingSession error: (any Error)?
    ) {
        journal.add("sounding over \(text(error))")
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        journal.add("state \(peripheral.state == .poweredOn ? "poweredOn" : "other")")
    }

    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    ) {
        journal.add("advertising \(text(error))")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        journal.add("published \(PSM) \(text(error))")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        journal.add("unpublished \(PSM) \(text(error))")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        keep(channel, error)
    }

    private func text(_ error: (any Error)?) -> String {
        switch error {
        case nil: "ok"
        case let error as CBError: "CBError \(error.code.rawValue)"
        case let error as CBATTError: "CBATTError \(error.code.rawValue)"
        case let error?: "\(error)"
        }
    }
}

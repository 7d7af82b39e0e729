// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

// An app that uses key-value observation instead of the delegate's methods.

/// An observer of the changes of a central manager and of one of its peripherals.
final class StateObserver: NSObject, CBCentralManagerDelegate {
    private var observations: [NSKeyValueObservation] = []
    private let report: (String) -> Void

    init(_ report: @escaping (String) -> Void) {
        self.report = report
    }

    func observe(_ manager: CBCentralManager) {
        observations.append(
            manager.observe(\.state, options: [.initial, .new]) { [weak self] manager, change in
                self?.report("state \(manager.state.rawValue) \(change.newValue?.rawValue ?? -1)")
            }
        )
        observations.append(
            manager.observe(\.isScanning) { [weak self] manager, _ in
                self?.report(manager.isScanning ? "scanning" : "not scanning")
            }
        )
    }

    func observe(_ peripheral: CBPeripheral) {
        observations.append(
            peripheral.observe(\.state, options: [.old, .new]) { [weak self] peripheral, change in
                guard let old = change.oldValue, let new = change.newValue else { return }
                self?.report("\(old.rawValue) to \(new.rawValue)")
            }
        )
    }

    func stop() {
        observations.forEach { $0.invalidate() }
        observations = []
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}

/// A receiver of the events of a channel's streams on a dispatch queue.
final class QueueReader: NSObject, StreamDelegate {
    private let queue = DispatchQueue(label: "reader")
    private var channel: CBL2CAPChannel?

    func begin(_ channel: CBL2CAPChannel) {
        self.channel = channel
        CFReadStreamSetDispatchQueue(channel.inputStream, queue)
        CFWriteStreamSetDispatchQueue(channel.outputStream as CFWriteStream, queue)
        for stream in [channel.inputStream, channel.outputStream] as [Stream] {
            stream.delegate = self
            stream.open()
        }
    }

    func end() {
        guard let channel = channel else { return }
        CFReadStreamSetDispatchQueue(channel.inputStream, nil)
        CFWriteStreamSetDispatchQueue(channel.outputStream, nil)
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {}
}

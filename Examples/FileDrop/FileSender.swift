// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The central, which finds a receiver, reads its PSM, opens a channel, and writes when there is
/// space.
final class FileSender: NSObject {
    private let name: String
    private var rest: Data
    private lazy var central = CBCentralManager(delegate: self, queue: nil)
    private var receiver: CBPeripheral?
    private var channel: CBL2CAPChannel?

    init(_ file: URL) throws {
        name = file.lastPathComponent
        rest = Parcel(name: name, content: try Data(contentsOf: file)).bytes
        super.init()
        _ = central
    }

    /// Writes as many bytes as there is space for.
    private func write(to stream: OutputStream) {
        guard !rest.isEmpty else { return }
        let count = rest.withUnsafeBytes { bytes in
            bytes.bindMemory(to: UInt8.self).baseAddress
                .map { stream.write($0, maxLength: bytes.count) } ?? 0
        }
        guard count > 0 else { return fail("the channel accepts no bytes") }
        rest = rest.dropFirst(count)
        if rest.isEmpty { say("All bytes were sent") }
    }

    private func readAnswer(from stream: InputStream) {
        var answer: UInt8 = 0
        guard stream.read(&answer, maxLength: 1) == 1 else { return }
        guard answer == Parcel.accepted else { return fail("the receiver refused it") }
        say("\(name) was delivered")
        for stream in [channel?.inputStream, channel?.outputStream] as [Stream?] { stream?.close() }
        exit(0)
    }

    private func fail(_ reason: String) {
        say("\(name) was not delivered: \(reason)")
        exit(1)
    }
}

extension FileSender: StreamDelegate {
    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch (event, stream) {
        case (.hasSpaceAvailable, let output as OutputStream): write(to: output)
        case (.hasBytesAvailable, let input as InputStream): readAnswer(from: input)
        case (.errorOccurred, _): fail(stream.streamError?.localizedDescription ?? "an error")
        case (.endEncountered, _): fail("the receiver closed the channel")
        default: break
        }
    }
}

extension FileSender: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            say("Looking for a receiver")
            central.scanForPeripherals(withServices: [DropService.service])
        case .unsupported, .unauthorized: fail("Bluetooth is not available on this computer")
        default: say("Bluetooth is off")
        }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard receiver == nil else { return }
        central.stopScan()
        receiver = peripheral
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        say("Connected to \(peripheral.name ?? "the receiver")")
        peripheral.delegate = self
        peripheral.discoverServices([DropService.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        fail(error?.localizedDescription ?? "no connection")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        fail(error?.localizedDescription ?? "disconnected")
    }
}

extension FileSender: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { return fail("no such service") }
        peripheral.discoverCharacteristics([DropService.psm], for: service)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        guard let psm = service.characteristics?.first else {
            return fail("the service has no PSM characteristic")
        }
        peripheral.readValue(for: psm)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let psm = characteristic.value.flatMap(DropService.psm) else {
            return fail(
                error?.localizedDescription ?? "the value of the PSM characteristic is not a PSM"
            )
        }
        say("Opening a channel on PSM \(psm)")
        peripheral.openL2CAPChannel(psm)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        guard let channel else { return fail(error?.localizedDescription ?? "no channel") }
        say("Sending \(rest.count) bytes")
        // The channel closes when it is released.
        self.channel = channel
        for stream in [channel.inputStream, channel.outputStream] as [Stream?] {
            stream?.delegate = self
            stream?.schedule(in: .main, forMode: .default)
            stream?.open()
        }
    }
}

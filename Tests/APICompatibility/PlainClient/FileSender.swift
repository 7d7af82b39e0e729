// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

// An L2CAP channel with its Foundation streams.

/// An app that sends bytes through a channel as fast as the channel accepts them.
final class FileSender: NSObject, CBPeripheralDelegate, StreamDelegate {
    private var channel: CBL2CAPChannel?
    private var remaining: Data
    private(set) var received = Data()
    private(set) var failure: Error?

    init(_ data: Data) {
        remaining = data
    }

    func begin(with peripheral: CBPeripheral, psm: CBL2CAPPSM) {
        peripheral.delegate = self
        peripheral.openL2CAPChannel(psm)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?) {
        guard let channel = channel else {
            failure = error
            return
        }
        self.channel = channel
        for stream in [channel.inputStream, channel.outputStream] as [Stream] {
            stream.delegate = self
            stream.schedule(in: .main, forMode: .default)
            stream.open()
        }
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case .hasSpaceAvailable: write()
        case .hasBytesAvailable: read()
        case .endEncountered, .errorOccurred:
            aStream.close()
            channel = nil
        default: break
        }
    }

    private func write() {
        guard let stream = channel?.outputStream, !remaining.isEmpty else { return }
        let count = remaining.withUnsafeBytes { bytes -> Int in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            return stream.write(base, maxLength: bytes.count)
        }
        if count > 0 { remaining.removeFirst(count) }
    }

    private func read() {
        guard let stream = channel?.inputStream else { return }
        var buffer = [UInt8](repeating: 0, count: 1024)
        while stream.hasBytesAvailable {
            let count = stream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return }
            received.append(contentsOf: buffer.prefix(count))
        }
    }
}

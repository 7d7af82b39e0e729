// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// An open channel, whose bytes are printed. Its properties belong to the main run loop.
final class ChannelProgram: NSObject, StreamDelegate {
    private let channel: CBL2CAPChannel

    init(_ channel: CBL2CAPChannel) {
        self.channel = channel
        super.init()
        for stream in [channel.inputStream, channel.outputStream] as [Stream] {
            stream.delegate = self
            stream.schedule(in: .main, forMode: .default)
            stream.open()
        }
    }

    func transmit(_ bytes: Data) {
        let count = bytes.withUnsafeBytes { buffer in
            guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            return channel.outputStream.write(start, maxLength: buffer.count)
        }
        say("transmitted \(count)")
    }

    func close() {
        channel.inputStream.close()
        channel.outputStream.close()
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable where stream === channel.inputStream:
            var buffer = [UInt8](repeating: 0, count: 1_024)
            let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
            if count > 0 { say("received \(Data(buffer[..<count]).hexadecimal)") }
        case .endEncountered where stream === channel.inputStream: say("channel ended")
        case .errorOccurred: say("channel failed")
        default: break
        }
    }
}

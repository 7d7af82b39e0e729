// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The reception of one file.
final class Reception: NSObject {
    enum Outcome {
        case received(Parcel)
        case failed(String)
    }

    private let channel: CBL2CAPChannel
    private let end: (Reception, Outcome) -> Void
    private var reader = ParcelReader()
    /// The received parcel. It is reported when the channel closes, so that the sender can
    /// receive the answer first.
    private var parcel: Parcel?

    init(_ channel: CBL2CAPChannel, end: @escaping (Reception, Outcome) -> Void) {
        self.channel = channel
        self.end = end
        super.init()
        for stream in streams {
            stream.delegate = self
            stream.schedule(in: .main, forMode: .default)
            stream.open()
        }
    }

    private var streams: [Stream] {
        [channel.inputStream, channel.outputStream].compactMap { $0 as Stream? }
    }

    private func read(from stream: InputStream) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = stream.read(&buffer, maxLength: buffer.count)
        guard count > 0 else { return }
        switch reader.take(buffer.prefix(count)) {
        case .unfinished: break
        case .finished(let parcel):
            self.parcel = parcel
            answer(Parcel.accepted)
        case .broken(let reason):
            answer(Parcel.refused)
            finish(.failed(reason))
        }
    }

    private func answer(_ byte: UInt8) {
        _ = channel.outputStream.write([byte], maxLength: 1)
    }

    private func finish(_ outcome: Outcome) {
        for stream in streams { stream.close() }
        end(self, outcome)
    }
}

extension Reception: StreamDelegate {
    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch (event, stream) {
        case (.hasBytesAvailable, let input as InputStream): read(from: input)
        case (.endEncountered, _), (.errorOccurred, _):
            let reason = stream.streamError?.localizedDescription ?? "the sender closed the channel"
            finish(parcel.map(Outcome.received) ?? .failed(reason))
        default: break
        }
    }
}

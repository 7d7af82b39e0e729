// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

/// The input stream of an L2CAP channel.
///
/// As on Apple's platforms, `read` on an open stream blocks the calling thread until there are
/// bytes or the stream ends. To avoid blocking, an app checks `hasBytesAvailable`, or reads when
/// its delegate gets `hasBytesAvailable`. The delegate gets this event again after each read, as
/// soon as there are bytes.
final class ChannelInputStream: InputStream, DispatchedStream {
    private let pipe: ChannelPipe
    let schedule: StreamSchedule

    init(_ pipe: ChannelPipe) {
        self.pipe = pipe
        schedule = StreamSchedule(pipe: pipe, side: .input)
        super.init(data: Data())
    }

    override var delegate: (any StreamDelegate)? {
        get { schedule.delegate }
        set { schedule.delegate = newValue }
    }

    override var streamStatus: Status { Status(pipe.look { $0.status(of: .input) }) }
    override var streamError: (any Error)? { pipe.look { $0.status(of: .input) }.error }
    override var hasBytesAvailable: Bool { pipe.look { $0.isReadable } }

    override func open() {
        pipe.change { $0.open(.input) }
    }

    override func close() {
        schedule.end()
        pipe.change { $0.close(.input) }
    }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        schedule.schedule(self, in: aRunLoop, mode: mode)
    }

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        schedule.remove(from: aRunLoop, mode: mode)
    }

    /// Reads bytes. Blocks until there is at least one, or the stream ends.
    ///
    /// - Returns: The number of bytes, at most `len`. 0 at the end. -1 if the stream is not open or
    ///   has failed.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        let reading = pipe.changeWaiting { buffers in
            let reading = buffers.read(upTo: len)
            return reading == .wait ? nil : reading
        }
        switch reading {
        case .bytes(let bytes):
            _ = UnsafeMutableBufferPointer(start: buffer, count: len).update(fromContentsOf: bytes)
            return bytes.count
        case .end: return 0
        case .wait, .refused: return -1
        }
    }

    /// Returns `false`: the bytes are in no buffer that the caller could use.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }

    /// Returns `nil`: a channel has no stream properties.
    override func property(forKey key: PropertyKey) -> AnyObject? { nil }

    /// Returns `false`: a channel has no stream properties.
    override func setProperty(_ property: AnyObject?, forKey key: PropertyKey) -> Bool { false }
}

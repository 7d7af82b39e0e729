// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The stream of what a peer sends on an L2CAP channel.
///
/// As on Apple's platforms `read` waits, where it is called, until there is something; an
/// application that must not wait asks `hasBytesAvailable` first, or reads when its delegate is
/// told. It is told again when there are bytes after it has read, however few it took.
final class ChannelInputStream: InputStream {
    private let pipe: ChannelPipe
    private let schedule: StreamSchedule

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

    /// Waits until there is something, and takes up to `len` octets of it. Returns their number, 0
    /// at the end, and -1 of a stream that is not open or has failed.
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

    /// False: the octets are in no buffer that could be lent.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }

    /// Nil: a channel has no properties.
    override func property(forKey key: PropertyKey) -> AnyObject? { nil }

    /// False: a channel has no properties.
    override func setProperty(_ property: AnyObject?, forKey key: PropertyKey) -> Bool { false }
}

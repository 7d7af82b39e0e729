// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The stream of what is sent to a peer on an L2CAP channel.
///
/// `write` takes as much as there is room for, and waits, where it is called, while there is none;
/// an application that must not wait asks `hasSpaceAvailable` first, or writes when its delegate is
/// told. It is told again when there is room after it has written.
final class ChannelOutputStream: OutputStream {
    private let pipe: ChannelPipe
    private let schedule: StreamSchedule

    init(_ pipe: ChannelPipe) {
        self.pipe = pipe
        schedule = StreamSchedule(pipe: pipe, side: .output)
        super.init(toMemory: ())
    }

    /// A stream to nowhere: what `OutputStream.toMemory()` makes of this class.
    required init(toMemory: ()) {
        pipe = ChannelPipe(limits: ChannelLimits(sendMTU: 1), engine: NoEngine())
        schedule = StreamSchedule(pipe: pipe, side: .output)
        super.init(toMemory: ())
    }

    override var delegate: (any StreamDelegate)? {
        get { schedule.delegate }
        set { schedule.delegate = newValue }
    }

    override var streamStatus: Status { Status(pipe.look { $0.status(of: .output) }) }
    override var streamError: (any Error)? { pipe.look { $0.status(of: .output) }.error }
    override var hasSpaceAvailable: Bool { pipe.look { $0.isWritable } }

    override func open() {
        pipe.change { $0.open(.output) }
    }

    override func close() {
        schedule.end()
        pipe.change { $0.close(.output) }
    }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        schedule.schedule(self, in: aRunLoop, mode: mode)
    }

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        schedule.remove(from: aRunLoop, mode: mode)
    }

    /// Waits until there is room, and takes up to `len` octets. Returns their number, and -1 of a
    /// stream that is not open or has failed.
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        let octets = UnsafeBufferPointer(start: buffer, count: max(len, 0))
        // Read before this returns, whichever thread the closure runs on: this one.
        nonisolated(unsafe) let borrowed = octets
        let writing = pipe.changeWaiting { buffers in
            let writing = buffers.write(borrowed)
            return writing == .wait ? nil : writing
        }
        guard case .accepted(let count) = writing else { return -1 }
        return count
    }

    /// Nil: a channel has no properties.
    override func property(forKey key: PropertyKey) -> AnyObject? { nil }

    /// False: a channel has no properties.
    override func setProperty(_ property: AnyObject?, forKey key: PropertyKey) -> Bool { false }
}

/// The engine of a channel that there is none of.
private struct NoEngine: ChannelEngine {
    func enter(_ turn: @escaping @Sendable (any ChannelPort) -> Void) {}
    func beginOutsideWork() {}
    func endOutsideWork() {}
}

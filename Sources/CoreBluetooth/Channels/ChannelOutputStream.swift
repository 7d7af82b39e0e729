// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation

/// The output stream of an L2CAP channel.
///
/// `write` accepts as many bytes as there is space for, and blocks the calling thread while an open
/// stream has none. To avoid blocking, an app checks `hasSpaceAvailable`, or writes when its
/// delegate gets `hasSpaceAvailable`. The delegate gets this event again after each write, as soon
/// as there is space.
final class ChannelOutputStream: OutputStream, DispatchedStream {
    private let pipe: ChannelPipe
    let schedule: StreamSchedule

    init(_ pipe: ChannelPipe) {
        self.pipe = pipe
        schedule = StreamSchedule(pipe: pipe, side: .output)
        super.init(toMemory: ())
    }

    /// Creates a stream without a channel, for `OutputStream.toMemory()` of this class.
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

    /// Writes bytes. Blocks until there is space for at least one, or the stream ends.
    ///
    /// - Returns: The number of bytes that were accepted, at most `len`. -1 if the stream is not
    ///   open or has failed.
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        let bytes = UnsafeBufferPointer(start: buffer, count: max(len, 0))
        // Safe: `changeWaiting` calls the closure on this thread, before it returns.
        nonisolated(unsafe) let borrowed = bytes
        let writing = pipe.changeWaiting { buffers in
            let writing = buffers.write(borrowed)
            return writing == .wait ? nil : writing
        }
        guard case .accepted(let count) = writing else { return -1 }
        return count
    }

    /// Returns `nil`: a channel has no stream properties.
    override func property(forKey key: PropertyKey) -> AnyObject? { nil }

    /// Returns `false`: a channel has no stream properties.
    override func setProperty(_ property: AnyObject?, forKey key: PropertyKey) -> Bool { false }
}

/// The engine of a stream without a channel.
private struct NoEngine: ChannelEngine {
    func execute(_ body: @escaping @Sendable (any ChannelOperations) -> Void) {}
    func beginOutsideWork() {}
    func endOutsideWork() {}
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Dispatch
import Foundation

/// A stream of an L2CAP channel, whose delegate can receive events on a dispatch queue.
protocol DispatchedStream: Stream {
    var schedule: StreamSchedule { get }
}

#if os(Linux)
    /// Sets the dispatch queue on which the delegate of a channel's input stream receives events.
    ///
    /// As on Apple's platforms, the stream is removed from its run loops, and scheduling it in a
    /// run loop removes it from the queue. Events come one at a time, even on a concurrent queue.
    ///
    /// - Parameters:
    ///   - stream: The input stream of a `CBL2CAPChannel`. For any other stream the call is logged
    ///     as misuse and has no effect, because Foundation on Linux has no such function.
    ///   - q: The queue. `nil` ends the events.
    public func CFReadStreamSetDispatchQueue(_ stream: CFReadStream?, _ q: DispatchQueue?) {
        setQueue(q, of: stream)
    }

    /// Sets the dispatch queue on which the delegate of a channel's output stream receives events.
    ///
    /// As on Apple's platforms, the stream is removed from its run loops, and scheduling it in a
    /// run loop removes it from the queue. Events come one at a time, even on a concurrent queue.
    ///
    /// - Parameters:
    ///   - stream: The output stream of a `CBL2CAPChannel`. For any other stream the call is logged
    ///     as misuse and has no effect, because Foundation on Linux has no such function.
    ///   - q: The queue. `nil` ends the events.
    public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream?, _ q: DispatchQueue?) {
        setQueue(q, of: stream)
    }

    private func setQueue(_ queue: DispatchQueue?, of stream: Stream?) {
        guard let stream = stream as? any DispatchedStream else {
            return Misuse.report("Only a stream of an L2CAP channel can have a dispatch queue")
        }
        stream.schedule.setQueue(queue, of: stream)
    }
#endif

// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Dispatch
import Foundation
import Lanyard

extension SystemChannel {
    /// Creates the channel from an open channel of the adapter.
    init(_ channel: OpenChannel) {
        self.init(psm: channel.psm) { queue, timekeeper in
            PortStreams(channel, on: queue, timekeeper: timekeeper)
        }
    }
}

/// The input stream and the output stream of an open channel, for an owner with a serial queue. No
/// call blocks.
///
/// Unchecked: all mutable state is used on the queue only.
final class PortStreams: ByteStreams, @unchecked Sendable {
    /// The maximum number of bytes in one read.
    private static let readLimit = 4_096

    private let channel: OpenChannel
    private let queue: DispatchQueue
    private let timekeeper: any Timekeeper
    private var receiver: (@Sendable (ByteStreamEvent) -> Void)?
    private var trigger: StreamsTrigger?

    /// Creates the streams of a channel. Releasing this object closes the channel.
    init(_ channel: OpenChannel, on queue: DispatchQueue, timekeeper: any Timekeeper) {
        self.channel = channel
        self.queue = queue
        self.timekeeper = timekeeper
    }

    deinit { closeBoth() }

    func open(_ receiver: @escaping @Sendable (ByteStreamEvent) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.receiver = receiver
        let trigger = StreamsTrigger { [weak self, queue, timekeeper] in
            timekeeper.perform(on: queue) { [weak self] in self?.reportAll() }
        }
        self.trigger = trigger
        for side in ChannelBuffers.Side.allCases {
            channel.pipe.change { $0.open(side) }
            channel.pipe.addTrigger(trigger, for: side)
        }
    }

    func close() {
        dispatchPrecondition(condition: .onQueue(queue))
        receiver = nil
        closeBoth()
    }

    func read() -> Data? {
        dispatchPrecondition(condition: .onQueue(queue))
        guard case .bytes(let bytes) = channel.pipe.change({ $0.read(upTo: Self.readLimit) })
        else { return nil }
        return Data(bytes)
    }

    func write(_ bytes: Data) -> Int {
        dispatchPrecondition(condition: .onQueue(queue))
        guard case .accepted(let count) = channel.pipe.change({ $0.write(bytes) }) else {
            return 0
        }
        return count
    }

    private func closeBoth() {
        for side in ChannelBuffers.Side.allCases {
            if let trigger { channel.pipe.takeDown(trigger, for: side) }
            channel.pipe.change { $0.close(side) }
        }
        trigger = nil
    }

    /// Reports all events that are due.
    private func reportAll() {
        for side in ChannelBuffers.Side.allCases {
            while receiver != nil, let event = channel.pipe.change({ $0.nextEvent(of: side) }) {
                report(event, side)
            }
        }
    }

    private func report(_ event: ChannelBuffers.Event, _ side: ChannelBuffers.Side) {
        switch event {
        case .openCompleted: break
        case .hasBytesAvailable: receiver?(.readable)
        case .hasSpaceAvailable: receiver?(.writable)
        case .endEncountered: if side == .input { end(nil) }
        case .errorOccurred where side == .output: receiver?(.outputEnded)
        case .errorOccurred: end(channel.pipe.look { $0.failure(of: side) }.map { LinkFailure($0) })
        }
    }

    private func end(_ failure: LinkFailure?) {
        let receiver = receiver
        close()
        receiver?(.ended(failure))
    }
}

/// A trigger that calls a closure when the streams may have events to report.
private final class StreamsTrigger: StreamTrigger {
    private let fired: @Sendable () -> Void

    init(_ fired: @escaping @Sendable () -> Void) {
        self.fired = fired
    }

    func fire() { fired() }
}

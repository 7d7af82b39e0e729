// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

/// Carries messages over an L2CAP channel. It has one link: the channel does not come back.
///
/// Unchecked: all that changes is touched on the queue only, where all of it is called.
final class StreamTransport: MessageTransport, @unchecked Sendable {
    let queue: DispatchQueue
    /// As much as one write is cut to.
    let maximumChunk = 4_096

    private let streams: ChannelStreams
    /// Whose streams they are; it closes them when nobody has it.
    private let owner: AnyObject?
    private var receiver: (@Sendable (MessageTransportEvent) -> Void)?
    /// What was taken and did not fit into the stream yet.
    private var rest = Data()
    private var wantsRoom = false

    /// A transport over the channel, which it opens.
    convenience init(
        _ channel: CBL2CAPChannel,
        on queue: DispatchQueue,
        timekeeper: any Timekeeper
    ) {
        self.init(ChannelStreams(channel, on: queue, timekeeper: timekeeper), on: queue)
    }

    /// A transport over streams that are not open yet, which are kept by their owner.
    init(_ streams: ChannelStreams, on queue: DispatchQueue, keeping owner: AnyObject? = nil) {
        self.streams = streams
        self.queue = queue
        self.owner = owner
    }

    func start(_ receiver: @escaping @Sendable (MessageTransportEvent) -> Void) {
        self.receiver = receiver
        streams.open { [weak self] in self?.receive($0) }
        receiver(.linked)
    }

    func send(_ chunk: Data) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        guard rest.isEmpty else {
            wantsRoom = true
            return false
        }
        rest = chunk
        flush()
        return true
    }

    func stop() {
        receiver = nil
        streams.close()
    }

    private func receive(_ event: ChannelStreams.Event) {
        switch event {
        case .readable:
            while let octets = streams.read() { receiver?(.received(octets)) }
        case .writable:
            flush()
            guard rest.isEmpty, wantsRoom else { return }
            wantsRoom = false
            receiver?(.hasRoom)
        case .ended(let error): receiver?(.ended(error))
        }
    }

    private func flush() {
        while !rest.isEmpty {
            let count = streams.write(rest)
            guard count > 0 else { return }
            rest = Data(rest.dropFirst(count))
        }
    }
}

extension MessageChannel {
    /// Messages over an L2CAP channel, which is opened for that and belongs to it from now on: for
    /// code that uses Core Bluetooth itself. The channel of messages ends with it.
    ///
    /// - Parameters:
    ///   - channel: as the delegate of a `CBPeripheral` or `CBPeripheralManager` got it.
    ///   - role: which end of the link this is.
    public convenience init(
        over channel: sending CBL2CAPChannel,
        options: MessageChannelOptions = MessageChannelOptions(framing: .lengthPrefixed()),
        as role: SealingRole
    ) {
        self.init(over: channel, options: options, as: role, timekeeper: SystemTimekeeper())
    }

    /// The same by another time than the system's.
    package convenience init(
        over channel: sending CBL2CAPChannel,
        options: MessageChannelOptions,
        as role: SealingRole,
        timekeeper: any Timekeeper
    ) {
        let queue = DispatchQueue(label: "lanyard.messages")
        let transport = StreamTransport(channel, on: queue, timekeeper: timekeeper)
        self.init(over: transport, options: options, as: role, timekeeper: timekeeper)
    }
}

extension ByteChannel {
    /// Messages over this channel, which belongs to them from now on: nothing is sent or received by it
    /// otherwise. They end with it.
    ///
    /// ```swift
    /// let messages = try await accessory.openChannel(psm: 0x80).messages()
    /// ```
    public func messages(
        options: MessageChannelOptions = MessageChannelOptions(framing: .lengthPrefixed())
    ) -> MessageChannel {
        let transport = StreamTransport(pipe.streams, on: pipe.queue, keeping: self)
        return MessageChannel(over: transport, options: options, timekeeper: pipe.timekeeper)
    }
}

// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

/// What an accessory knows of the link to its Central.
struct AccessoryLink: Sendable {
    /// How many answers may wait for the controller; beyond, a Central that does not wait for
    /// answers gets none.
    static let answerLimit = 16

    let connectionHandle: ConnectionHandle
    var recombiner = FrameRecombiner()
    var signalling = SignallingChannel(role: .peripheral)
    /// Frames on other channels than that of the Attribute Protocol that wait for room.
    private(set) var answers: [[UInt8]] = []
    /// What the client is subscribed to, and more that it gets.
    var streams: [RunningStream] = []
    /// What it gets beside streams, in order.
    var octets = WaitingOctets()

    init(_ connectionHandle: ConnectionHandle) {
        self.connectionHandle = connectionHandle
    }

    mutating func answer(_ payload: [UInt8], on channel: ChannelIdentifier) {
        guard answers.count < Self.answerLimit else { return }
        answers.append(L2CAPFrame.encode(payload, on: channel))
    }

    mutating func takeAnswer() -> [UInt8]? {
        answers.isEmpty ? nil : answers.removeFirst()
    }

    var nextDeadline: Instant? {
        streams.reduce(signalling.nextDeadline) { earliest($0, $1.deadline) }
    }
}

/// A stream on its way to a client.
struct RunningStream: Sendable {
    /// How many streams a client may have: beyond, the oldest ends.
    static let limit = 32

    let valueHandle: AttributeHandle
    let isConfirmed: Bool
    private let stream: ValueStream
    private var count = 0
    /// When the next value is due.
    private var due: Instant
    /// Whether the value that is due waits for room, and no longer for its time.
    private(set) var isReady = false

    init(
        _ stream: ValueStream,
        of valueHandle: AttributeHandle,
        isConfirmed: Bool,
        now: Instant
    ) {
        self.stream = stream
        self.valueHandle = valueHandle
        self.isConfirmed = isConfirmed
        due = now
    }

    /// Whether all has been sent.
    var isOver: Bool { stream.limit.map { count >= $0 } ?? false }

    /// When to wake it; nil if it waits for something else than time.
    var deadline: Instant? { isReady || isOver ? nil : due }

    /// Notes whether the next value is due by now.
    mutating func timeIs(_ now: Instant) {
        isReady = !isOver && due <= now
    }

    /// The value that is due; the next one is due a period later.
    mutating func takeValue(now: Instant) -> [UInt8] {
        defer {
            count += 1
            isReady = false
            due = now + stream.period
        }
        return stream.value(count)
    }
}

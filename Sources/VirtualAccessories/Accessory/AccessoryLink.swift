// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

/// The state of an accessory's link to its central.
struct AccessoryLink: Sendable {
    /// The maximum number of frames in `answers`. Further answers are dropped.
    static let answerLimit = 16

    let connectionHandle: ConnectionHandle
    var recombiner = FrameRecombiner()
    var signaling = SignalingChannel(role: .peripheral)
    /// The frames for channels other than ATT that wait for a controller buffer.
    private(set) var answers: [[UInt8]] = []
    /// The streams of values to the client.
    var streams: [RunningStream] = []
    /// The number of streams that have begun.
    private var streamCount = 0
    /// The bytes for the client that do not belong to a stream, in order.
    var bytes = WaitingBytes()

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

    /// Begins a stream. At the limit, the oldest stream ends.
    mutating func begin(
        _ stream: ValueStream,
        of valueHandle: AttributeHandle,
        isConfirmed: Bool,
        now: Instant
    ) {
        if streams.count >= RunningStream.limit,
            let oldest = streams.indices.min(by: { streams[$0].number < streams[$1].number })
        {
            streams.remove(at: oldest)
        }
        streams.append(
            RunningStream(
                stream,
                of: valueHandle,
                isConfirmed: isConfirmed,
                number: streamCount,
                now: now
            )
        )
        streamCount += 1
    }

    var nextDeadline: Instant? {
        streams.reduce(signaling.nextDeadline) { earliest($0, $1.deadline) }
    }
}

/// A stream that is being sent to a client.
struct RunningStream: Sendable {
    /// The maximum number of streams for a client. Beyond it, the oldest stream ends.
    static let limit = 32

    let valueHandle: AttributeHandle
    let isConfirmed: Bool
    /// The number of streams that began earlier on the link.
    let number: Int
    private let stream: ValueStream
    private var count = 0
    /// The instant at which the next value is due.
    private var due: Instant
    /// Whether the next value is due and waits for a buffer.
    private(set) var isReady = false

    init(
        _ stream: ValueStream,
        of valueHandle: AttributeHandle,
        isConfirmed: Bool,
        number: Int,
        now: Instant
    ) {
        self.stream = stream
        self.number = number
        self.valueHandle = valueHandle
        self.isConfirmed = isConfirmed
        due = now
    }

    /// Whether all values were sent.
    var isOver: Bool { stream.limit.map { count >= $0 } ?? false }

    /// The instant at which the next value becomes due; `nil` if the stream does not wait for time.
    var deadline: Instant? { isReady || isOver ? nil : due }

    /// Updates whether the next value is due.
    mutating func timeIs(_ now: Instant) {
        isReady = !isOver && due <= now
    }

    /// Returns the value that is due. The next one is due a period later.
    mutating func takeValue(now: Instant) -> [UInt8] {
        defer {
            count += 1
            isReady = false
            due = now + stream.period
        }
        return stream.value(count)
    }
}

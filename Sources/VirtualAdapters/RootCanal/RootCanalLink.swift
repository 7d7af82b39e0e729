// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A link between one of RootCanal's devices and one of ours. In our world, the link is between the
/// device's proxy and our device. At RootCanal, it consists of packets with the two addresses.
struct RootCanalLink: Sendable {
    /// The addresses of a link, by which RootCanal's packets name it.
    struct Key: Hashable, Sendable {
        /// The address of RootCanal's device.
        let remote: UInt64
        /// The address of our device.
        let local: UInt64
    }

    /// The proxy's end of the link in our world.
    struct Endpoint: Hashable, Sendable {
        let proxy: Int
        let handle: ConnectionHandle
    }

    /// The maximum number of bytes that wait for the proxy's controller. RootCanal does not wait
    /// for an acknowledgment, so its host can send faster than the radio. A link with more waiting
    /// bytes ends.
    static let dataLimit = 262_144

    let key: Key
    let endpoint: Endpoint
    /// Whether RootCanal's device is the central.
    let isRemoteCentral: Bool
    var timeout: Duration
    /// The instant of the last packet of RootCanal's device on this link.
    var lastReceived: Instant
    /// The instant at which RootCanal's device must have answered our central's connection request;
    /// `nil` if no answer is awaited.
    var answerDeadline: Instant?
    /// Whether a ping was sent since the last packet.
    var isPinged = false

    /// The key in the encryption request of RootCanal's central; `nil` unless a request awaits its
    /// answer.
    var encryptionKey: [UInt8]?
    /// Whether our central has requested encryption, and RootCanal's device has not answered.
    var isAwaitingKey = false
    /// Whether our peripheral has requested parameters, and RootCanal's device has not answered.
    var isAwaitingParameters = false
    /// Whether RootCanal's device, as the peripheral, has requested PHYs.
    var isAwaitingPHY = false

    /// The reason with which RootCanal's device has ended the link; `nil` while it has not.
    var endReason: HCI.ErrorCode?
    /// Whether the proxy's controller is ending the link.
    var isEnding = false

    private var waiting: ArraySlice<(boundary: HCI.PacketBoundary, bytes: ArraySlice<UInt8>)> = []
    private var waitingCount = 0
    /// The number of packets that the proxy's controller has taken and has not yet sent.
    private(set) var outstanding = 0

    init(
        _ key: Key,
        at endpoint: Endpoint,
        isRemoteCentral: Bool,
        timeout: Duration,
        now: Instant
    ) {
        self.key = key
        self.endpoint = endpoint
        self.isRemoteCentral = isRemoteCentral
        self.timeout = timeout
        lastReceived = now
    }

    /// The instant of the link's next deadline; `nil` while the proxy's controller ends the link.
    var nextDeadline: Instant? {
        isEnding ? nil : answerDeadline ?? lastReceived + (isPinged ? timeout : timeout / 2)
    }

    /// Whether no data waits, in the bridge or in the controller.
    var isIdle: Bool { waiting.isEmpty && outstanding == 0 }
}

// MARK: - Data

extension RootCanalLink {
    /// Adds data for our device, divided into packets of at most `packetLength` bytes for the
    /// proxy's controller.
    ///
    /// - Returns: `false` if too much data waits.
    mutating func enqueue(_ data: [UInt8], isContinuation: Bool, packetLength: Int) -> Bool {
        guard waitingCount + data.count <= Self.dataLimit else { return false }
        for start in stride(from: 0, to: data.count, by: max(1, packetLength)) {
            let isFirst = start == 0 && !isContinuation
            let end = min(start + max(1, packetLength), data.count)
            waiting.append((isFirst ? .firstNonFlushable : .continuing, data[start..<end]))
        }
        waitingCount += data.count
        return true
    }

    /// Returns and removes the next packet for the controller; `nil` if none waits.
    mutating func takePacket() -> [UInt8]? {
        guard let (boundary, bytes) = waiting.popFirst() else { return nil }
        waitingCount -= bytes.count
        outstanding += 1
        let packet = HCI.ACLPacket(
            connectionHandle: endpoint.handle,
            boundary: boundary,
            payload: bytes
        )
        return packet.h4Bytes
    }

    /// Records that the controller has sent packets.
    ///
    /// - Returns: The number of buffers that became free.
    mutating func completed(_ count: Int) -> Int {
        let completed = min(count, outstanding)
        outstanding -= completed
        return completed
    }
}

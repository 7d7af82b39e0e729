// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The part of a connection that is the same on both sides: frames, keep-alive and the allowance
/// for packets.
struct Peer: Sendable {
    /// The maximum number of bytes that wait for the other side's credit.
    static let queueLimit = 1 << 20
    /// The number of bytes of packets that a side passes on before it permits the other side to
    /// send more. A credit for each packet would double the number of frames.
    static let creditBatch = GatewayProtocol.window / 4

    private var reader = FrameReader()
    private var writer = FrameWriter()
    private var lastReceived: Instant
    private var lastSent: Instant
    /// The number of bytes of packets that this side may send.
    private var allowance = GatewayProtocol.window
    /// The number of bytes of packets that the other side may send.
    private var granted = GatewayProtocol.window
    /// The number of bytes of packets that were passed on since the last credit.
    private var passedOnCount = 0
    /// The bytes that wait for credit.
    private var queue: [UInt8] = []

    init(now: Instant) {
        lastReceived = now
        lastSent = now
    }

    /// Returns the bytes of a frame to send.
    mutating func bytes(of frame: Frame, now: Instant) -> [UInt8] {
        lastSent = now
        return writer.bytes(of: frame)
    }

    mutating func append(_ bytes: some Collection<UInt8>) { reader.append(bytes) }

    /// Returns the next frame that is not a ping; `nil` until more bytes arrive. A credit is added
    /// to the allowance before the frame is returned.
    ///
    /// - Throws: `PeerFault` if the other side broke a rule.
    mutating func next(now: Instant) throws(PeerFault) -> Frame? {
        while true {
            let frame: Frame?
            do throws(FrameError) {
                frame = try reader.next()
            } catch {
                throw .frame(error)
            }
            guard let frame else { return nil }
            lastReceived = now
            switch frame {
            case .ping: continue
            case .credit(let count):
                guard count > 0, allowance + Int(count) <= GatewayProtocol.window else {
                    throw .excessiveCredit
                }
                allowance += Int(count)
                return frame
            case .packets(let bytes):
                guard bytes.count <= granted else { throw .moreThanAllowed }
                granted -= bytes.count
                return frame
            default: return frame
            }
        }
    }

    /// Records that `count` bytes of packets were passed on. Returns a frame that permits the other
    /// side to send more, or no bytes if fewer than `creditBatch` bytes were passed on since the
    /// last credit.
    mutating func passedOn(_ count: Int, now: Instant) -> [UInt8] {
        passedOnCount += count
        guard passedOnCount >= Self.creditBatch else { return [] }
        defer { passedOnCount = 0 }
        granted += passedOnCount
        return bytes(of: .credit(UInt32(passedOnCount)), now: now)
    }

    /// Returns whether this many bytes of packets could be sent at once.
    func hasRoom(for count: Int) -> Bool { queue.isEmpty && allowance >= count }

    /// Enqueues packets, and returns the bytes to send now.
    ///
    /// - Throws: `PeerFault.doesNotRead` if more than `queueLimit` bytes wait.
    mutating func send(_ bytes: some Collection<UInt8>, now: Instant) throws(PeerFault) -> [UInt8] {
        queue += bytes
        guard queue.count <= Self.queueLimit else { throw .doesNotRead }
        return flush(now: now)
    }

    /// Returns frames with the waiting packets, as many as the allowance permits.
    mutating func flush(now: Instant) -> [UInt8] {
        var sent: [UInt8] = []
        while allowance > 0, !queue.isEmpty {
            let part = Array(queue.prefix(min(allowance, Frame.bodyLimit)))
            queue.removeFirst(part.count)
            allowance -= part.count
            sent += bytes(of: .packets(part), now: now)
        }
        return sent
    }

    /// The time at which to ping, or at which the other side counts as lost.
    var nextDeadline: Instant {
        min(
            lastSent + GatewayProtocol.pingInterval,
            lastReceived + GatewayProtocol.silenceLimit
        )
    }

    /// Returns a ping if one is due.
    ///
    /// - Throws: `PeerFault.silent` if the other side counts as lost.
    mutating func deadlinePassed(now: Instant) throws(PeerFault) -> [UInt8] {
        guard now - lastReceived < GatewayProtocol.silenceLimit else { throw .silent }
        guard now - lastSent >= GatewayProtocol.pingInterval else { return [] }
        return bytes(of: .ping, now: now)
    }
}

/// The reason why a side ends a connection.
enum PeerFault: Error, Equatable, Sendable, CustomStringConvertible {
    case frame(FrameError)
    case excessiveCredit
    case moreThanAllowed
    case doesNotRead
    case silent
    /// A frame that is not permitted in this phase.
    case outOfPlace
    /// Bytes that are not HCI packets, or a packet that only a controller sends.
    case noPackets

    var description: String {
        switch self {
        case .frame(let error): "it sent \(error)"
        case .excessiveCredit: "it allowed more than the window"
        case .moreThanAllowed: "it sent more packets than it may"
        case .doesNotRead: "it does not read: \(Peer.queueLimit) bytes wait for it"
        case .silent: "nothing was received from it for \(GatewayProtocol.silenceLimit)"
        case .outOfPlace: "it sent a frame that is out of place"
        case .noPackets: "it sent bytes that are not HCI packets of a host"
        }
    }
}

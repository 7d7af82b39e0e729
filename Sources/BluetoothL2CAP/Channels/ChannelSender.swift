// SPDX-License-Identifier: Apache-2.0

/// The sending half of a channel. It holds SDUs and splits them into frames as the peer's credits
/// and the controller's buffers allow (Vol 3, Part A, 3.4.3 and 10.1).
struct ChannelSender: Sendable {
    /// The identifier of a waiting SDU, which the caller chooses.
    typealias SDUID = UInt64

    /// The maximum number of SDUs that wait on one channel.
    static let queueLimit = 64

    /// The maximum length of an SDU that the peer receives, in bytes.
    private(set) var mtu: Int
    /// The maximum payload of a frame that the peer receives, in bytes.
    private(set) var mps: Int
    /// The number of frames that the local side may send now.
    private(set) var credits: Int

    private var queue: [(id: SDUID, bytes: [UInt8])] = []
    /// The number of bytes of the first SDU that are already sent, or `nil` if not even its length
    /// is sent.
    private var progress: Int?

    init(mtu: Int, mps: Int, credits: Int) {
        self.mtu = mtu
        self.mps = mps
        self.credits = credits
    }

    /// Whether a frame is ready and a credit is available.
    var hasFrame: Bool { credits > 0 && !queue.isEmpty }

    /// Whether no SDU waits.
    var isIdle: Bool { queue.isEmpty }

    var isFull: Bool { queue.count >= Self.queueLimit }

    /// Enqueues an SDU of up to `mtu` bytes.
    mutating func enqueue(_ bytes: [UInt8], id: SDUID) {
        queue.append((id, bytes))
    }

    /// Returns the payload of the next frame and the identifier of the SDU that it completes, or
    /// `nil` if no frame can be sent.
    mutating func nextFrame() -> (payload: [UInt8], sent: SDUID?)? {
        guard hasFrame, let (id, bytes) = queue.first else { return nil }
        credits -= 1
        var payload: [UInt8] = []
        let start = progress ?? 0
        if progress == nil {
            payload = [UInt8(truncatingIfNeeded: bytes.count), UInt8(bytes.count >> 8)]
        }
        let end = min(bytes.count, start + mps - payload.count)
        payload += bytes[start..<end]
        progress = end
        guard end == bytes.count else { return (payload, nil) }
        queue.removeFirst()
        progress = nil
        return (payload, id)
    }

    /// Adds credits that the peer granted.
    ///
    /// - Returns: `false` if the total exceeds the maximum number of credits.
    mutating func add(credits more: Int) -> Bool {
        credits += more
        return credits <= L2CAP.ChannelOptions.creditLimit
    }

    /// Removes a waiting SDU.
    ///
    /// - Returns: `false` if the SDU is partly sent or is not in the queue.
    mutating func cancel(_ id: SDUID) -> Bool {
        guard let index = queue.firstIndex(where: { $0.id == id }), index > 0 || progress == nil
        else { return false }
        queue.remove(at: index)
        return true
    }

    /// Removes all waiting SDUs and returns their identifiers.
    mutating func abandon() -> [SDUID] {
        defer { (queue, progress) = ([], nil) }
        return queue.map(\.id)
    }

    /// Sets the sizes that the peer accepts from now on.
    mutating func resize(mtu: Int, mps: Int) {
        self.mtu = mtu
        self.mps = mps
    }
}

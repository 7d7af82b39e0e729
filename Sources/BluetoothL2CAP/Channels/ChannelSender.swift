// SPDX-License-Identifier: Apache-2.0

/// The sending half of a channel: SDUs wait here, and leave in frames as the peer's credits and
/// the controller's room allow (Vol 3, Part A, 3.4.3 and 10.1).
struct ChannelSender: Sendable {
    /// Names an SDU that waits: whoever sends it chooses.
    typealias SDUID = UInt64

    /// How many SDUs may wait on one channel.
    static let queueLimit = 64

    /// The longest SDU that the peer receives, in octets.
    private(set) var mtu: Int
    /// The longest payload of a frame that the peer receives, in octets.
    private(set) var mps: Int
    /// How many frames we may send now.
    private(set) var credits: Int

    private var queue: [(id: SDUID, octets: [UInt8])] = []
    /// How much of the first SDU has left; nil if nothing has, not even its length.
    private var progress: Int?

    init(mtu: Int, mps: Int, credits: Int) {
        self.mtu = mtu
        self.mps = mps
        self.credits = credits
    }

    /// Whether a frame could leave now.
    var hasFrame: Bool { credits > 0 && !queue.isEmpty }

    /// Whether nothing waits.
    var isIdle: Bool { queue.isEmpty }

    var isFull: Bool { queue.count >= Self.queueLimit }

    /// Queues an SDU of `mtu` octets at most.
    mutating func enqueue(_ octets: [UInt8], id: SDUID) {
        queue.append((id, octets))
    }

    /// The payload of the next frame, and which SDU has left with it; nil if none may leave.
    mutating func nextFrame() -> (payload: [UInt8], sent: SDUID?)? {
        guard hasFrame, let (id, octets) = queue.first else { return nil }
        credits -= 1
        var payload: [UInt8] = []
        let start = progress ?? 0
        if progress == nil {
            payload = [UInt8(truncatingIfNeeded: octets.count), UInt8(octets.count >> 8)]
        }
        let end = min(octets.count, start + mps - payload.count)
        payload += octets[start..<end]
        progress = end
        guard end == octets.count else { return (payload, nil) }
        queue.removeFirst()
        progress = nil
        return (payload, id)
    }

    /// The peer gives credits; false if they are more than there can be.
    mutating func add(credits more: Int) -> Bool {
        credits += more
        return credits <= L2CAP.ChannelOptions.creditLimit
    }

    /// Takes an SDU back; false if it has begun to leave, or is not here.
    mutating func cancel(_ id: SDUID) -> Bool {
        guard let index = queue.firstIndex(where: { $0.id == id }), index > 0 || progress == nil
        else { return false }
        queue.remove(at: index)
        return true
    }

    /// Drops all that waits; tells what it was.
    mutating func abandon() -> [SDUID] {
        defer { (queue, progress) = ([], nil) }
        return queue.map(\.id)
    }

    /// The peer takes other sizes from now on.
    mutating func resize(mtu: Int, mps: Int) {
        self.mtu = mtu
        self.mps = mps
    }
}

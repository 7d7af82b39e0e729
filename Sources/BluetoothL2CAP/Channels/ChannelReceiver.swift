// SPDX-License-Identifier: Apache-2.0

/// The receiving half of a channel: frames come in, SDUs go out, and credits go back as SDUs are
/// taken (Vol 3, Part A, 3.4.3 and 10.1).
///
/// What is held is bounded by what the peer was allowed: `window` frames, and one SDU that is not
/// complete. A reader that stops taking SDUs stops the peer, and nothing grows.
struct ChannelReceiver: Sendable {
    /// The octets before an SDU that tell its length.
    static let lengthFieldLength = 2

    private(set) var mtu: Int
    private(set) var mps: Int
    private let window: Int

    /// How many frames the peer may send now.
    private(set) var credits: Int
    /// Credits of frames whose SDU was taken, which the peer does not have back yet.
    private var owed = 0

    /// The SDU that frames are being collected for; nil between SDUs.
    private var partial: Partial?
    private var complete: [SDU] = []

    private struct Partial {
        let length: Int
        var octets: [UInt8] = []
        /// How many frames it took whose credits the peer does not have back.
        var cost = 0
    }

    private struct SDU {
        let octets: [UInt8]
        let cost: Int
    }

    init(_ options: L2CAP.ChannelOptions) {
        mtu = options.mtu
        mps = options.mps
        window = options.initialCredits
        credits = window
    }

    /// Takes in the payload of a frame; true if an SDU is complete by it.
    mutating func receive(_ payload: ArraySlice<UInt8>) throws(L2CAP.Violation) -> Bool {
        guard credits > 0 else { throw .noCredit }
        guard payload.count <= mps else { throw .frameTooLong }
        credits -= 1
        var part = payload
        var sdu: Partial
        if let begun = partial {
            sdu = begun
            // Not held twice: its octets are appended to where they are.
            partial = nil
        } else {
            sdu = try begin(&part)
        }
        guard sdu.octets.count + part.count <= sdu.length else { throw .sduOverrun }
        sdu.octets.append(contentsOf: part)
        sdu.cost += 1
        guard sdu.octets.count == sdu.length else {
            partial = sdu
            return false
        }
        complete.append(SDU(octets: sdu.octets, cost: sdu.cost))
        return true
    }

    private func begin(_ payload: inout ArraySlice<UInt8>) throws(L2CAP.Violation) -> Partial {
        guard payload.count >= Self.lengthFieldLength else { throw .lengthMissing }
        let start = payload.startIndex
        let length = Int(payload[start]) | Int(payload[start + 1]) << 8
        guard length <= mtu else { throw .sduTooLong }
        payload = payload.dropFirst(Self.lengthFieldLength)
        var sdu = Partial(length: length)
        // No more than the peer may send without hearing from us, whatever it announces.
        sdu.octets.reserveCapacity(min(length, (credits + 1) * mps))
        return sdu
    }

    /// Takes the oldest SDU; nil if none is complete.
    mutating func take() -> [UInt8]? {
        guard !complete.isEmpty else { return nil }
        let sdu = complete.removeFirst()
        owed += sdu.cost
        return sdu.octets
    }

    /// All SDUs that nobody has taken: the channel has ended.
    mutating func takeAll() -> [[UInt8]] {
        defer { complete = [] }
        return complete.map(\.octets)
    }

    /// The credits that are due to the peer now, which then has them; nil if none are.
    ///
    /// They go back in halves of the window, which keeps a peer that sends without a pause going,
    /// or at once to a peer that has none left. An SDU of more frames than the peer may send, which
    /// nobody can take yet, has its credits returned before it is complete.
    mutating func takeGrant() -> UInt16? {
        if credits == 0, owed == 0, complete.isEmpty, let cost = partial?.cost {
            owed = cost
            partial?.cost = 0
        }
        guard owed > 0, credits == 0 || owed * 2 >= window else { return nil }
        defer { owed = 0 }
        credits += owed
        return UInt16(owed)
    }

    /// Whether `takeGrant()` would return something.
    var isGrantDue: Bool {
        var copy = self
        return copy.takeGrant() != nil
    }

    /// The peer has agreed to other sizes.
    mutating func resize(mtu: Int, mps: Int) {
        self.mtu = mtu
        self.mps = mps
    }
}

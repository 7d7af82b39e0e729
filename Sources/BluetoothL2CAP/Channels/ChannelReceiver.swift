// SPDX-License-Identifier: Apache-2.0

/// The receiving half of a channel. It combines frames into SDUs, and returns credits as the
/// application takes the SDUs (Vol 3, Part A, 3.4.3 and 10.1).
///
/// The credits of the peer bound the memory: `window` frames and one incomplete SDU. If the
/// application stops taking SDUs, the peer runs out of credits and must stop sending.
struct ChannelReceiver: Sendable {
    /// The length in bytes of the field before an SDU that gives its length.
    static let lengthFieldLength = 2

    private(set) var mtu: Int
    private(set) var mps: Int
    private let window: Int

    /// The number of frames that the peer may send now.
    private(set) var credits: Int
    /// The number of credits of taken SDUs that are not yet returned to the peer.
    private var unreturnedCredits = 0

    /// The SDU that is being received, or `nil` between SDUs.
    private var partial: Partial?
    private var complete: [SDU] = []

    private struct Partial {
        let length: Int
        var bytes: [UInt8] = []
        /// The number of frames of the SDU whose credits are not yet returned to the peer.
        var cost = 0
    }

    private struct SDU {
        let bytes: [UInt8]
        let cost: Int
    }

    init(_ options: L2CAP.ChannelOptions) {
        mtu = options.mtu
        mps = options.mps
        window = options.initialCredits
        credits = window
    }

    /// Processes the payload of a frame.
    ///
    /// - Returns: Whether the frame completed an SDU.
    /// - Throws: ``L2CAP/Violation`` if the peer broke a rule of the channel.
    mutating func receive(_ payload: ArraySlice<UInt8>) throws(L2CAP.Violation) -> Bool {
        guard credits > 0 else { throw .noCredit }
        guard payload.count <= mps else { throw .frameTooLong }
        credits -= 1
        var part = payload
        var sdu: Partial
        if let begun = partial {
            sdu = begun
            // Clearing `partial` leaves one reference to the bytes, so that the append does not
            // copy them.
            partial = nil
        } else {
            sdu = try begin(&part)
        }
        guard sdu.bytes.count + part.count <= sdu.length else { throw .sduOverrun }
        sdu.bytes.append(contentsOf: part)
        sdu.cost += 1
        guard sdu.bytes.count == sdu.length else {
            partial = sdu
            return false
        }
        complete.append(SDU(bytes: sdu.bytes, cost: sdu.cost))
        return true
    }

    private func begin(_ payload: inout ArraySlice<UInt8>) throws(L2CAP.Violation) -> Partial {
        guard payload.count >= Self.lengthFieldLength else { throw .lengthMissing }
        let start = payload.startIndex
        let length = Int(payload[start]) | Int(payload[start + 1]) << 8
        guard length <= mtu else { throw .sduTooLong }
        payload = payload.dropFirst(Self.lengthFieldLength)
        var sdu = Partial(length: length)
        // The capacity is limited to the bytes that the peer may send with its credits, whatever
        // length it announces.
        sdu.bytes.reserveCapacity(min(length, (credits + 1) * mps))
        return sdu
    }

    /// Removes and returns the oldest complete SDU, or `nil` if there is none.
    mutating func take() -> [UInt8]? {
        guard !complete.isEmpty else { return nil }
        let sdu = complete.removeFirst()
        unreturnedCredits += sdu.cost
        return sdu.bytes
    }

    /// Removes and returns all SDUs that the application has not taken, when the channel has ended.
    mutating func takeAll() -> [[UInt8]] {
        defer { complete = [] }
        return complete.map(\.bytes)
    }

    /// Returns the credits that are due to the peer now and counts them as granted, or `nil` if
    /// none are due.
    ///
    /// Credits are returned when they amount to half of the window, so that a peer that sends
    /// continuously does not have to pause. A peer without credits gets them back immediately. If
    /// one incomplete SDU has used all credits, its credits are returned before it is complete,
    /// because the application cannot take it yet.
    mutating func takeGrant() -> UInt16? {
        if credits == 0, unreturnedCredits == 0, complete.isEmpty, let cost = partial?.cost {
            unreturnedCredits = cost
            partial?.cost = 0
        }
        guard unreturnedCredits > 0, credits == 0 || unreturnedCredits * 2 >= window else {
            return nil
        }
        defer { unreturnedCredits = 0 }
        credits += unreturnedCredits
        return UInt16(unreturnedCredits)
    }

    /// Sets the sizes that the peer has agreed to.
    mutating func resize(mtu: Int, mps: Int) {
        self.mtu = mtu
        self.mps = mps
    }
}

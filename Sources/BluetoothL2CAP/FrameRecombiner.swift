// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Puts the fragments of frames together that arrive on one link (Vol 3, Part A, 7.2.2).
///
/// The controller delivers in order and loses nothing, so whatever does not fit together is an
/// error of the peer or of the controller. The frame in question is lost; the next start puts the
/// two sides in step again. At most one frame is collected at a time, in a buffer whose size
/// `receiveLimit` bounds, whatever a frame announces.
package struct FrameRecombiner: Sendable {
    /// The longest payload of a frame that protocols without an MTU of their own need, with room
    /// to spare: an ATT PDU that carries the longest value has 517 octets.
    package static let defaultReceiveLimit = 1024

    /// The longest payload that is collected, in octets; a frame that announces more is skipped.
    package var receiveLimit: Int

    /// How many frames were lost, be it in part or as a whole.
    package private(set) var lossCount = 0

    private var state = State.idle

    private enum State: Sendable {
        /// The next fragment should start a frame.
        case idle
        /// A frame has started; `collected` has its octets, basic header included.
        case collecting
        /// A frame whose payload is too long has started; `remaining` octets of it are to come.
        case skipping(remaining: Int, length: Int)
    }

    /// What has come of the frame that is being collected; empty in other states.
    private var collected: [UInt8] = []

    /// What a fragment led to.
    package enum Verdict: Equatable, Sendable {
        /// It was the last of a frame, or the only one.
        case frame(L2CAPFrame)
        /// There is more to come.
        case incomplete
        /// It is lost, and with it the frame that it belongs to.
        case discarded(Reason)
    }

    /// Why a fragment was discarded.
    package enum Reason: Equatable, Sendable {
        /// It continues a frame that never started, or that was lost.
        case continuationWithoutStart
        /// The frame announces a payload longer than `receiveLimit`.
        case tooLong(length: Int)
        /// More octets came than the frame announced.
        case overrun
        /// It is marked in a way that does not exist on LE (Vol 4, Part E, 5.4.2).
        case reservedBoundary
    }

    package init(receiveLimit: Int = Self.defaultReceiveLimit) {
        self.receiveLimit = receiveLimit
    }

    /// Takes in the next fragment of the link. If it starts a frame while another is incomplete,
    /// that other one is lost, and counted in `lossCount`.
    package mutating func receive(_ fragment: HCI.ACLPacket) -> Verdict {
        switch fragment.boundary {
        case .firstFlushable, .firstNonFlushable: start(fragment.payload)
        case .continuing: proceed(fragment.payload)
        case .complete: abandon(.reservedBoundary)
        }
    }

    /// A frame that came in one piece is a view of the packet; only pieces are copied.
    private mutating func start(_ bytes: ArraySlice<UInt8>) -> Verdict {
        if case .collecting = state { lossCount += 1 }
        forget()
        if let frame = try? L2CAPFrame(parsing: bytes), frame.payload.count <= receiveLimit {
            return .frame(frame)
        }
        state = .collecting
        return collect(bytes)
    }

    private mutating func proceed(_ bytes: ArraySlice<UInt8>) -> Verdict {
        switch state {
        case .idle: .discarded(.continuationWithoutStart)
        case .collecting: collect(bytes)
        case .skipping(let remaining, let length): skip(bytes.count, of: remaining, length)
        }
    }

    /// Even the basic header may come in pieces: nothing is known before its first two octets.
    private mutating func collect(_ bytes: ArraySlice<UInt8>) -> Verdict {
        collected.append(contentsOf: bytes)
        guard collected.count >= 2 else { return .incomplete }
        let length = Int(collected[0]) | Int(collected[1]) << 8
        let missing = L2CAPFrame.headerLength + length - collected.count
        guard missing >= 0 else { return abandon(.overrun) }
        guard length <= receiveLimit else {
            lossCount += 1
            forget()
            if missing > 0 { state = .skipping(remaining: missing, length: length) }
            return .discarded(.tooLong(length: length))
        }
        collected.reserveCapacity(L2CAPFrame.headerLength + length)
        guard missing == 0 else { return .incomplete }
        let channel = ChannelIdentifier(rawValue: UInt16(collected[2]) | UInt16(collected[3]) << 8)
        let payload = collected[L2CAPFrame.headerLength...]
        forget()
        return .frame(L2CAPFrame(channel: channel, payload: payload))
    }

    /// The rest of a frame that is too long belongs to it, and is not out of step.
    private mutating func skip(_ count: Int, of remaining: Int, _ length: Int) -> Verdict {
        forget()
        guard count <= remaining else { return .discarded(.overrun) }
        if count < remaining { state = .skipping(remaining: remaining - count, length: length) }
        return .discarded(.tooLong(length: length))
    }

    private mutating func abandon(_ reason: Reason) -> Verdict {
        lossCount += 1
        forget()
        return .discarded(reason)
    }

    private mutating func forget() {
        state = .idle
        collected = []
    }
}

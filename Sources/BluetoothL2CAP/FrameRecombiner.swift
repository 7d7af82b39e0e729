// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// A recombiner that combines the fragments that arrive on one link into frames (Vol 3, Part A,
/// 7.2.2).
///
/// The controller delivers fragments in order and without loss, so fragments that do not fit
/// together are an error of the peer or of the controller. The frame with the error is lost, and
/// the next first fragment restores the synchronization. The recombiner collects one frame at a
/// time. `receiveLimit` bounds its buffer, whatever length a frame announces.
package struct FrameRecombiner: Sendable {
    /// The default limit, which is above the longest payload of the fixed channels: an ATT PDU with
    /// the longest value has 517 bytes.
    package static let defaultReceiveLimit = 1024

    /// The maximum payload in bytes. A frame that announces a longer payload is skipped.
    package var receiveLimit: Int

    /// The number of lost frames.
    package private(set) var lossCount = 0

    private var state = State.idle

    private enum State: Sendable {
        /// No frame is in progress. The next fragment should be the first of a frame.
        case idle
        /// A frame is in progress. `collected` contains its bytes so far, including the basic
        /// header.
        case collecting
        /// A frame with a payload over the limit is in progress, and `remaining` of its bytes are
        /// outstanding.
        case skipping(remaining: Int, length: Int)
    }

    /// The bytes of the frame in progress. In other states, the bytes of the previous frame. The
    /// next frame uses their memory if no view of them is left.
    private var collected: [UInt8] = []

    /// The result of processing a fragment.
    package enum Verdict: Equatable, Sendable {
        /// The fragment completed a frame.
        case frame(L2CAPFrame)
        /// More fragments of the frame follow.
        case incomplete
        /// The fragment and the frame to which it belongs were discarded.
        case discarded(Reason)
    }

    /// The reason why a fragment was discarded.
    package enum Reason: Equatable, Sendable {
        /// The fragment continues a frame that never started or that was lost.
        case continuationWithoutStart
        /// The frame announces a payload longer than `receiveLimit`.
        case tooLong(length: Int)
        /// The fragments have more bytes than the frame announced.
        case overrun
        /// The packet boundary flag has a value that is not allowed on LE (Vol 4, Part E, 5.4.2).
        case reservedBoundary
    }

    package init(receiveLimit: Int = Self.defaultReceiveLimit) {
        self.receiveLimit = receiveLimit
    }

    /// Processes the next fragment of the link.
    ///
    /// A first fragment that arrives while a frame is incomplete discards that frame, and
    /// `lossCount` counts it.
    package mutating func receive(_ fragment: HCI.ACLPacket) -> Verdict {
        switch fragment.boundary {
        case .firstFlushable, .firstNonFlushable: start(fragment.payload)
        case .continuing: proceed(fragment.payload)
        case .complete: abandon(.reservedBoundary)
        }
    }

    /// Starts a frame. A frame in one fragment is returned as a view of the packet, so only
    /// frames in several fragments are copied.
    private mutating func start(_ bytes: ArraySlice<UInt8>) -> Verdict {
        if case .collecting = state { lossCount += 1 }
        forget()
        if let frame = try? L2CAPFrame(parsing: bytes), frame.payload.count <= receiveLimit {
            return .frame(frame)
        }
        state = .collecting
        collected.removeAll(keepingCapacity: true)
        return collect(bytes)
    }

    private mutating func proceed(_ bytes: ArraySlice<UInt8>) -> Verdict {
        switch state {
        case .idle: .discarded(.continuationWithoutStart)
        case .collecting: collect(bytes)
        case .skipping(let remaining, let length): skip(bytes.count, of: remaining, length)
        }
    }

    /// Appends bytes to the frame in progress. Even the basic header may be fragmented, and the
    /// length is known only after its first two bytes.
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

    /// Skips a continuation of a frame that is too long. The continuation belongs to that frame and
    /// is not a loss of synchronization.
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
    }
}

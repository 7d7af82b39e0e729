// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

extension Timeline {
    /// Adds what a recorder kept.
    ///
    /// - Parameter central: What the rows are called of events that concern no one accessory.
    mutating func add(_ recording: FlightRecording, central: String) {
        start =
            start
            ?? recording.start.flatMap {
                Int64(exactly: ($0.timeIntervalSince1970 * 1_000_000).rounded())
            }
        _ = device(central)
        for event in recording.events {
            add(
                Event(
                    microseconds: event.microseconds,
                    device: device(event.device.isEmpty ? central : event.device),
                    lane: event.lane,
                    text: TerminalText.escape(event.text),
                    detail: event.detail.map { TerminalText.escape($0) }
                )
            )
        }
        guard recording.dropped > 0 else { return }
        remark("\(recording.dropped) earlier events were dropped by the recorder")
    }
}

extension FlightEvent {
    /// When it was, in whole microseconds; bounded to centuries, so that sums have room.
    fileprivate var microseconds: Int64 {
        let bound = Duration.seconds(Int64(1) << 33)
        let (seconds, attoseconds) = min(max(time, .zero - bound), bound).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

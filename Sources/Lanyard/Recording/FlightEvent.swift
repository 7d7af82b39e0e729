// SPDX-License-Identifier: Apache-2.0

import JSONText

/// An event in the history of an accessory, such as a call of the library to the system, a
/// callback, or a change of state.
public struct FlightEvent: Hashable, Sendable {
    /// The kind of an event.
    public enum Lane: String, CaseIterable, Codable, Hashable, Sendable {
        /// The accessory's state has changed: `text` is the new state, `detail` the reason.
        case state
        /// The library called a method of Core Bluetooth.
        case call
        /// Core Bluetooth called a delegate method.
        case callback
        /// A packet passed between host and controller. Tools add these events from packet logs.
        case packet
        /// Any other information that helps to understand the other events.
        case note
    }

    /// The time of the event, relative to the time zero of its recording
    /// (``FlightRecording/start``).
    public var time: Duration
    /// The accessory: its name or another identification; empty if the event is not about one
    /// accessory.
    public var device: String
    /// The kind of the event.
    public var lane: Lane
    /// The event in a few words, on one line.
    public var text: String
    /// Further details, if there are any.
    public var detail: String?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - time: The time of the event, relative to the time zero of its recording.
    ///   - device: The name of the accessory or another identification; empty if the event is not
    ///     about one accessory.
    ///   - lane: The kind of the event.
    ///   - text: The event in a few words, on one line.
    ///   - detail: Further details; `nil` if there are none.
    public init(
        time: Duration,
        device: String,
        lane: Lane,
        text: String,
        detail: String? = nil
    ) {
        self.time = time
        self.device = device
        self.lane = lane
        self.text = text
        self.detail = detail
    }
}

extension FlightEvent: CustomStringConvertible {
    /// The event in one line: seconds, accessory, kind and text. It is safe to print, whatever name
    /// an accessory has.
    public var description: String {
        let accessory = device.isEmpty ? "" : " \(Self.printable(device)):"
        let more = detail.map { " (\(Self.printable($0)))" } ?? ""
        return "\(time.secondsText)\(accessory) \(lane.rawValue) \(Self.printable(text))\(more)"
    }

    /// Returns the text with visible escapes for all characters that a terminal could interpret.
    private static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isPrintable {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return result
    }
}

extension Duration {
    /// The whole microseconds, rounded toward zero, and limited to the range of the type.
    var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isTooLarge) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return isTooLarge ? (seconds < 0 ? .min : .max) : sum
    }

    /// The seconds with six decimal places.
    fileprivate var secondsText: String {
        let micro = wholeMicroseconds
        let digits = String(micro.magnitude % 1_000_000)
        let padding = String(repeating: "0", count: 6 - digits.count)
        return "\(micro < 0 ? "-" : "")\(micro.magnitude / 1_000_000).\(padding)\(digits)"
    }
}

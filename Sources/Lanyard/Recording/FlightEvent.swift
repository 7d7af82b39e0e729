// SPDX-License-Identifier: Apache-2.0

/// One thing that happened to an accessory: what Lanyard asked of the system, what the system told it, and
/// what became of that.
public struct FlightEvent: Hashable, Sendable {
    /// What kind of thing happened.
    public enum Lane: String, CaseIterable, Codable, Hashable, Sendable {
        /// The accessory's state is another from now on: `text` is its name, `detail` the reason.
        case state
        /// Lanyard called a method of the framework's.
        case call
        /// The framework called its delegate.
        case callback
        /// A packet passed between host and controller. Tools add these, from packet logs.
        case packet
        /// Anything else that helps to understand the rest.
        case note
    }

    /// When, in the time of the recorder's user: always since the same moment.
    public var time: Duration
    /// Whom it concerns: an accessory's name, or what else tells it apart. Empty if all of them.
    public var device: String
    /// What kind of thing it was.
    public var lane: Lane
    /// What it was, in few words and on one line.
    public var text: String
    /// What more there is to say, if anything.
    public var detail: String?

    /// An event.
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
    /// One line for a person: seconds, accessory, lane, and what happened. Safe to print, whatever an
    /// accessory calls itself.
    public var description: String {
        let whom = device.isEmpty ? "" : " \(Self.printable(device)):"
        let more = detail.map { " (\(Self.printable($0)))" } ?? ""
        return "\(time.secondsText)\(whom) \(lane.rawValue) \(Self.printable(text))\(more)"
    }

    /// The text with everything that a terminal could act upon made visible.
    private static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Duration {
    /// Whole microseconds, rounded down; bounded where there are too many to count.
    var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isTooLarge) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return isTooLarge ? (seconds < 0 ? .min : .max) : sum
    }

    /// Seconds with six decimals.
    fileprivate var secondsText: String {
        let micro = wholeMicroseconds
        let digits = String(micro.magnitude % 1_000_000)
        let padding = String(repeating: "0", count: 6 - digits.count)
        return "\(micro < 0 ? "-" : "")\(micro.magnitude / 1_000_000).\(padding)\(digits)"
    }
}

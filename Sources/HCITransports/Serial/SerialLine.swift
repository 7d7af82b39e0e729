// SPDX-License-Identifier: Apache-2.0

/// A controller at the end of a UART, and how to talk to it: H4, eight bits, no parity, one stop bit
/// (Vol 4, Part A, 3).
///
/// As a text: the device, its speed, and options, `/dev/ttyUSB0@1000000,flow=none`. Without a speed it
/// is `defaultSpeed`. The options are
/// - `flow=hardware` or `flow=none`: whether RTS and CTS are wired. By default they are.
/// - `start=SPEED`: at which speed the controller begins; it is then told to go on at the other.
/// - `vendor=NAME`: whose commands tell it so, one of `SerialVendor`. By default the controller is
///   asked who made it. A vendor without `start` means that it begins at `defaultSpeed`.
public struct SerialLine: Hashable, Sendable {
    /// The speed of a line that names none, and the one at which most controllers begin.
    public static let defaultSpeed = 115_200

    /// Which speeds can be meant, in bits per second. Slower than that, a packet takes so long that one
    /// whose rest got lost is not told from one that is on its way.
    public static let speeds = 9_600...12_000_000

    /// Who holds up whom when there is no room for more.
    public enum FlowControl: String, Hashable, Sendable, CaseIterable {
        /// Wires for it, RTS and CTS, as the specification wants.
        case hardware
        /// Nobody: whatever does not fit is lost.
        case none
    }

    /// The device: `/dev/ttyUSB0`, or a name under `/dev/serial/by-id`, which stays the same.
    public var path: String
    /// In bits per second.
    public var speed: Int
    /// How the two ends keep from overrunning each other.
    public var flowControl: FlowControl
    /// At which speed the controller begins; nil if it begins at `speed`.
    public var startSpeed: Int?
    /// Whose commands change the controller's speed from `startSpeed`; nil to ask the controller.
    public var vendor: SerialVendor?

    /// A line at one speed; set `startSpeed` for a controller that has to be told its speed.
    public init(
        path: String,
        speed: Int = defaultSpeed,
        flowControl: FlowControl = .hardware
    ) {
        self.path = path
        self.speed = speed
        self.flowControl = flowControl
    }
}

extension SerialLine: CustomStringConvertible {
    /// The line as an adapter specification writes it.
    public var description: String {
        var text = "serial:\(path)@\(speed)"
        if flowControl != .hardware { text += ",flow=\(flowControl.rawValue)" }
        guard let startSpeed else { return text }
        if let vendor { text += ",vendor=\(vendor.rawValue)" }
        if vendor == nil || startSpeed != Self.defaultSpeed { text += ",start=\(startSpeed)" }
        return text
    }
}

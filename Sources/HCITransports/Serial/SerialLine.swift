// SPDX-License-Identifier: Apache-2.0

/// A controller at the end of a UART, and its settings: H4 with eight bits, no parity and one stop
/// bit (Vol 4, Part A, 3).
///
/// The text form is the device, the speed and options: `/dev/ttyUSB0@1000000,flow=none`. The
/// default speed is `defaultSpeed`. The options are:
/// - `flow=hardware` or `flow=none`: whether RTS and CTS are connected. The default is `hardware`.
/// - `start=SPEED`: the initial speed of the controller, before it is changed to the line's speed.
/// - `vendor=NAME`: the vendor whose command changes the speed, one of `SerialVendor`. By default,
///   the controller is asked for its manufacturer. If `vendor` is set and `start` is not, the
///   initial speed is `defaultSpeed`.
public struct SerialLine: Hashable, Sendable {
    /// The speed of a line without an explicit one, and the initial speed of most controllers.
    public static let defaultSpeed = 115_200

    /// The permitted speeds, in bits per second. At a lower speed, a packet takes so long to arrive
    /// that a time limit cannot distinguish an incomplete packet from one that is still arriving.
    public static let speeds = 9_600...12_000_000

    /// The flow control between the two ends.
    public enum FlowControl: String, Hashable, Sendable, CaseIterable {
        /// The wires RTS and CTS, as the specification requires.
        case hardware
        /// No flow control. Bytes that do not fit are lost.
        case none
    }

    /// The path of the device: `/dev/ttyUSB0`, or a permanent name under `/dev/serial/by-id`.
    public var path: String
    /// The speed in bits per second.
    public var speed: Int
    /// The flow control of the line.
    public var flowControl: FlowControl
    /// The initial speed of the controller, or `nil` if it is `speed`.
    public var startSpeed: Int?
    /// The vendor whose command changes the speed from `startSpeed`, or `nil` to ask the
    /// controller.
    public var vendor: SerialVendor?

    /// Creates a line with one speed. Set `startSpeed` if the controller's speed must be changed.
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
    /// The line in the form of an adapter specification.
    public var description: String {
        var text = "serial:\(path)@\(speed)"
        if flowControl != .hardware { text += ",flow=\(flowControl.rawValue)" }
        guard let startSpeed else { return text }
        if let vendor { text += ",vendor=\(vendor.rawValue)" }
        if vendor == nil || startSpeed != Self.defaultSpeed { text += ",start=\(startSpeed)" }
        return text
    }
}

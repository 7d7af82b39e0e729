// SPDX-License-Identifier: Apache-2.0

import Logging

/// The subset of `Logger` of Apple's module `os` that Bluetooth code uses, on swift-log.
///
/// The label is that of the subsystem and the category, `com.example.app.bluetooth`. As on Apple's
/// platforms, values other than numbers and Booleans are not shown unless they are public.
public struct Logger: Sendable {
    private let logger: Logging.Logger

    /// Creates a logger for a part of an app.
    public init(subsystem: String, category: String) {
        logger = Logging.Logger(label: "\(subsystem).\(category)")
    }

    /// Creates a logger without a subsystem.
    public init() {
        logger = Logging.Logger(label: "default")
    }

    /// Logs a message at a level of the log.
    public func log(level: OSLogType, _ message: OSLogMessage) {
        let level: Logging.Logger.Level =
            switch level {
            case .debug: .debug
            case .info: .info
            case .error: .error
            case .fault: .critical
            default: .notice
            }
        write(message, at: level)
    }

    /// Logs a message at the default level.
    public func log(_ message: OSLogMessage) { write(message, at: .notice) }

    /// Logs a message at the default level.
    public func notice(_ message: OSLogMessage) { write(message, at: .notice) }

    /// Logs a message of the least importance.
    public func trace(_ message: OSLogMessage) { write(message, at: .trace) }

    /// Logs a message for a developer.
    public func debug(_ message: OSLogMessage) { write(message, at: .debug) }

    /// Logs a helpful message.
    public func info(_ message: OSLogMessage) { write(message, at: .info) }

    /// Logs an unexpected event.
    public func warning(_ message: OSLogMessage) { write(message, at: .warning) }

    /// Logs an error.
    public func error(_ message: OSLogMessage) { write(message, at: .error) }

    /// Logs a fault of the app.
    public func critical(_ message: OSLogMessage) { write(message, at: .critical) }

    /// Logs a fault of the app.
    public func fault(_ message: OSLogMessage) { write(message, at: .critical) }

    private func write(_ message: OSLogMessage, at level: Logging.Logger.Level) {
        logger.log(level: level, "\(message.text)")
    }
}

/// A level of the log, with Apple's raw values.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// The number of the level.
    public let rawValue: UInt8

    /// Creates a level from its number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The level of `Logger.log(_:)`.
    public static let `default` = OSLogType(rawValue: 0)
    /// The level of helpful messages that are not essential.
    public static let info = OSLogType(rawValue: 1)
    /// The level of messages for a developer.
    public static let debug = OSLogType(rawValue: 2)
    /// The level of errors.
    public static let error = OSLogType(rawValue: 16)
    /// The level of faults of the app.
    public static let fault = OSLogType(rawValue: 17)
}

/// The privacy of a value: whether the log shows it.
public struct OSLogPrivacy: Hashable, Sendable {
    private enum Kind {
        case automatic
        case open
        case hidden
    }

    private let kind: Kind

    /// Numbers and Booleans are shown, and other values are not.
    public static let auto = OSLogPrivacy(kind: .automatic)
    /// The value is shown.
    public static let `public` = OSLogPrivacy(kind: .open)
    /// The value is not shown.
    public static let `private` = OSLogPrivacy(kind: .hidden)
    /// The value is not shown.
    public static let sensitive = OSLogPrivacy(kind: .hidden)

    func text(of value: some Any, isNumber: Bool) -> String {
        switch kind {
        case .automatic where isNumber, .open: "\(value)"
        default: "<private>"
        }
    }
}

/// A message with values, some of which are private.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    let text: String

    /// Creates a message without values.
    public init(stringLiteral value: String) {
        text = value
    }

    /// Creates a message with values.
    public init(stringInterpolation: OSLogInterpolation) {
        text = stringInterpolation.text
    }
}

/// The parts of a message while the compiler collects them.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    private(set) var text = ""

    /// Creates the parts of an empty message.
    public init(literalCapacity: Int, interpolationCount: Int) {
        text.reserveCapacity(literalCapacity + interpolationCount * 8)
    }

    /// Appends text of the source, which is shown.
    public mutating func appendLiteral(_ literal: String) {
        text += literal
    }

    /// Appends a number, which is shown unless it is private.
    public mutating func appendInterpolation(
        _ number: some Numeric,
        privacy: OSLogPrivacy = .auto
    ) {
        text += privacy.text(of: number, isNumber: true)
    }

    /// Appends a Boolean, which is shown unless it is private.
    public mutating func appendInterpolation(_ value: Bool, privacy: OSLogPrivacy = .auto) {
        text += privacy.text(of: value, isNumber: true)
    }

    /// Appends a value, which is not shown unless it is public.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ value: some Any, privacy: OSLogPrivacy = .auto) {
        text += privacy.text(of: value, isNumber: false)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Logging

/// A log of an application's errors, in Apple's words where they are known, so that a search for
/// the line finds an explanation.
///
/// Apple's framework ignores a wrong call and writes a line to the system log. It reports no error
/// and makes no callback. Here the line goes to swift-log, with the label `CoreBluetooth`.
package enum Misuse {
    private static let logger = Logger(label: "CoreBluetooth")

    /// The observers of the log lines, for tests.
    private static let observers = Lock<[UUID: @Sendable (String) -> Void]>([:])

    /// Logs that a call was ignored.
    package static func report(_ text: String) {
        log("API MISUSE: " + text, at: .error)
    }

    /// Logs that a call was not carried out as intended.
    package static func warn(_ text: String) {
        log("WARNING: " + text, at: .warning)
    }

    /// Ends the process. Apple's framework is known to raise an exception in the same case, which
    /// Swift cannot catch. docs/COREBLUETOOTH.md lists the cases and their sources. The line is
    /// logged in every build.
    package static func stop(_ text: String) -> Never {
        log("API MISUSE: " + text, at: .critical)
        preconditionFailure(text)
    }

    private static func log(_ line: String, at level: Logger.Level) {
        logger.log(level: level, "\(line)")
        for observer in observers.withLock({ Array($0.values) }) { observer(line) }
    }

    /// Also passes every line to `observer` while `body` runs.
    static func observing<Value>(
        _ observer: @escaping @Sendable (String) -> Void,
        during body: () async throws -> Value
    ) async rethrows -> Value {
        let key = UUID()
        observers.withLock { $0[key] = observer }
        defer { observers.withLock { $0[key] = nil } }
        return try await body()
    }

    /// Returns an object's class and address, as the log lines show them.
    package static func name(_ object: AnyObject) -> String {
        "<\(type(of: object)): \(address(object))>"
    }

    /// Returns an object's address in hexadecimal.
    package static func address(_ object: AnyObject) -> String {
        let bits = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        return "0x" + String(bits, radix: 16)
    }
}

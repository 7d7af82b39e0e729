// SPDX-License-Identifier: Apache-2.0

import CoreBluetoothEnumerations
import Foundation
import Logging
import Synchronization

/// What an application did wrong, said in the words that it finds when it searches for them.
///
/// Apple drops such a call and writes a line into the system's log; there is no error and no callback.
/// Here the line goes to swift-log, under the label `CoreBluetooth`.
enum Misuse {
    private static let logger = Logger(label: "CoreBluetooth")

    /// Who listens in, for tests.
    private static let observers = Mutex<[UUID: @Sendable (String) -> Void]>([:])

    /// Says that a call was dropped.
    static func report(_ text: String) {
        tell("API MISUSE: " + text, at: .error)
    }

    /// Says that a call was not carried out as it was meant.
    static func warn(_ text: String) {
        tell("WARNING: " + text, at: .warning)
    }

    /// Ends the program, for what Apple's framework throws an exception that Swift cannot catch. The
    /// line is written in every build.
    static func stop(_ text: String) -> Never {
        tell("API MISUSE: " + text, at: .critical)
        preconditionFailure(text)
    }

    private static func tell(_ line: String, at level: Logger.Level) {
        logger.log(level: level, "\(line)")
        for observer in observers.withLock({ Array($0.values) }) { observer(line) }
    }

    /// Hands every line to `observer` too, for as long as `body` takes.
    static func observing<Value>(
        _ observer: @escaping @Sendable (String) -> Void,
        during body: () async throws -> Value
    ) async rethrows -> Value {
        let key = UUID()
        observers.withLock { $0[key] = observer }
        defer { observers.withLock { $0[key] = nil } }
        return try await body()
    }

    /// An object as the lines have it: its class and where it is.
    static func name(_ object: AnyObject) -> String {
        "<\(type(of: object)): \(address(object))>"
    }

    /// Where an object is.
    static func address(_ object: AnyObject) -> String {
        let bits = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        return "0x" + String(bits, radix: 16)
    }

    /// A state as the lines have it.
    static func text(_ state: CBPeripheralState) -> String {
        switch state {
        case .disconnected: "disconnected"
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnecting: "disconnecting"
        @unknown default: "(\(state.rawValue))"
        }
    }
}

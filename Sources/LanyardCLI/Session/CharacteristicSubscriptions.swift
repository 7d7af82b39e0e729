// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import Foundation
import Synchronization

/// Subscriptions to one or several characteristics of an accessory, to each of them once.
struct CharacteristicSubscriptions: Sendable {
    /// The maximum number of characteristics.
    static let limit = 64

    let operations: CharacteristicOperations
    let references: [CharacteristicReference]
    let kind: GATT.SubscriptionKind?
    /// The number of values after which all subscriptions end; `nil` for no limit.
    let count: Int?

    /// Passes on the values as they arrive, until `count` have arrived or one subscription ends.
    func run(_ receive: @escaping @Sendable (ValueReport) throws -> Void) async throws {
        let remaining = Mutex(count ?? .max)
        let (isOver, end) = AsyncStream.makeStream(of: Never.self)
        let found = try await operations.findEach(of: references)
        let all = found.map { reference, characteristic in
            { @Sendable () async throws -> Void in
                do {
                    try await operations.receiveValues(
                        of: characteristic,
                        named: reference,
                        kind: kind
                    ) { report in
                        try remaining.withLock { remaining in
                            guard remaining > 0 else { return }
                            try receive(report)
                            remaining -= 1
                            if remaining == 0 { end.finish() }
                        }
                    }
                } catch {
                    // The accessory may end the link as soon as the last value has arrived.
                    guard remaining.withLock({ $0 == 0 }) else { throw error }
                }
            }
        }
        try await FirstResult.of(all + [{ @Sendable in for await _ in isOver {} }])
    }
}

extension ValueReport {
    /// Returns the line of a value that arrived at this time.
    ///
    /// - Parameter isNamed: Whether the line names the characteristic, because there are several.
    func line(at date: Date, isNamed: Bool) -> String {
        let name = AssignedNumbers.name(ofCharacteristic: uuid) ?? uuid.description
        let place = isNamed ? "  \(name) #\(valueHandle)" : ""
        return "\(TimeText.describe(date))\(place)  \(line)"
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Synchronization

/// The record of all values that were written to an accessory.
final class WriteRecord: Sendable {
    /// The largest number of values. When it is reached, the older half is removed.
    static let limit = 100_000

    private let writes = Mutex<[(identifier: BluetoothID, value: Data)]>([])

    func note(_ value: [UInt8], to identifier: BluetoothID) {
        writes.withLock { writes in
            if writes.count >= Self.limit { writes.removeFirst(Self.limit / 2) }
            writes.append((identifier, Data(value)))
        }
    }

    func values(of identifier: BluetoothID) -> [Data] {
        writes.withLock { $0.filter { $0.identifier == identifier }.map(\.value) }
    }
}

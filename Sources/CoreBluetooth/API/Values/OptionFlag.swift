// SPDX-License-Identifier: Apache-2.0

import Foundation

extension [String: Any] {
    /// What an option that is a Bool says; nil if it is missing. As on Apple's platforms, whatever
    /// becomes a number will do: `true`, `1`, or an `NSNumber`.
    func flag(_ key: String) -> Bool? { (self[key] as? NSNumber)?.boolValue }

    /// How many seconds an option says; nil if it is missing, or no such number. A day at most.
    func delay(_ key: String) -> Duration? {
        guard let seconds = (self[key] as? NSNumber)?.doubleValue, seconds >= 0 else { return nil }
        return .seconds(Swift.min(seconds, 86_400))
    }
}

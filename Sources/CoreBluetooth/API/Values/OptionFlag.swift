// SPDX-License-Identifier: Apache-2.0

import Foundation

extension [String: Any] {
    /// Returns the value of a Boolean option; `nil` if it is missing. As on Apple's platforms, any
    /// value that converts to a number is accepted: `true`, `1` or an `NSNumber`.
    func flag(_ key: String) -> Bool? { (self[key] as? NSNumber)?.boolValue }

    /// Returns the value of an option in seconds, at most one day; `nil` if it is missing,
    /// negative, or not a number.
    func delay(_ key: String) -> Duration? {
        guard let seconds = (self[key] as? NSNumber)?.doubleValue, seconds >= 0 else { return nil }
        return .seconds(Swift.min(seconds, 86_400))
    }
}

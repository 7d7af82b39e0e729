// SPDX-License-Identifier: Apache-2.0

import Foundation

extension [String: Any] {
    /// What an option that is a Bool says; nil if it is missing. As on Apple's platforms, whatever
    /// becomes a number will do: `true`, `1`, or an `NSNumber`.
    func flag(_ key: String) -> Bool? { (self[key] as? NSNumber)?.boolValue }
}

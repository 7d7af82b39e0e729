// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// What services, characteristics and descriptors have in common: a UUID that says what they are.
///
/// Objects of this class are made by a discovery, or as one of the mutable subclasses. Like Apple's
/// they are not Sendable; what they show may be read on any thread, and changes on the queue of
/// the manager, just before the delegate is told.
open class CBAttribute: NSObject {
    private let identity: CBUUID

    init(identity: CBUUID) {
        self.identity = identity
    }

    /// What the attribute is.
    open var uuid: CBUUID { identity }

    /// Like Apple's object descriptions: the class, where the object is, and what it shows.
    func summary(_ details: [(String, String)]) -> String {
        let place = UInt(bitPattern: ObjectIdentifier(self).hashValue)
        let shown = details.map { "\($0.0) = \($0.1)" }.joined(separator: ", ")
        return "<\(Self.self): 0x\(String(place, radix: 16)), \(shown)>"
    }
}

/// Octets as Apple's logs show them: how many, and which.
func describe(value: Data) -> String {
    "{length = \(value.count), bytes = 0x\([UInt8](value).hexadecimal)}"
}

// SPDX-License-Identifier: Apache-2.0

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
}

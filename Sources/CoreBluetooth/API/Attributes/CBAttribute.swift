// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The base class of services, characteristics and descriptors: an attribute with a UUID that
/// states its type.
///
/// A discovery makes objects of its subclasses. The app makes objects of the mutable ones.
/// Like Apple's, they are not Sendable. Their properties can be read on any thread. Those of
/// discovered attributes change on the manager's queue, just before the delegate is called.
open class CBAttribute: NSObject {
    private let identity: CBUUID

    init(identity: CBUUID) {
        self.identity = identity
    }

    /// The attribute's type.
    open var uuid: CBUUID { identity }
}

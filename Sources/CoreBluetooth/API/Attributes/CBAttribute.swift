// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The base class of services, characteristics and descriptors: an attribute with a UUID that
/// states its type.
///
/// A discovery creates objects of its subclasses. To publish attributes, the app creates objects of
/// the mutable subclasses. As with Apple's framework, these objects are not Sendable, but their
/// properties can be read on any thread. The properties of discovered attributes change on the
/// manager's queue, just before the delegate is called.
open class CBAttribute: NSObject {
    private let identity: CBUUID

    init(identity: CBUUID) {
        self.identity = identity
    }

    /// The attribute's type.
    open var uuid: CBUUID { identity }
}

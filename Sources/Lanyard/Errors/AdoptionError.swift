// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The reason why a central cannot take over a manager or give it back.
public enum AdoptionError: Error, Hashable, Sendable {
    /// Another central of this library has the manager.
    case inUse
    /// The peripheral with this identifier is neither connected nor being connected.
    case notConnected(UUID)
    /// The peripheral with this identifier belongs to another manager.
    case otherManager(UUID)
    /// The list contains the peripheral with this identifier more than once.
    case duplicate(UUID)
    /// The central was created without a description of this kind.
    case unknownKind(String)
    /// Accessories of this kind are identified by their manufacturer data, which a connected
    /// peripheral may not send. Only a remembered one can be taken over.
    case unidentified(kind: String)
    /// The central has no manager of the app.
    case notAdopted
}

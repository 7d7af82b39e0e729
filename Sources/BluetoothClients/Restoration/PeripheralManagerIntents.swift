// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The state of an application's peripheral manager: its published services and its advertisement.
///
/// A restored service keeps its handle if the handle is free, so that bonded centrals can still use
/// their stored copies of the database and their subscriptions.
package struct PeripheralManagerIntents: Hashable, Sendable {
    /// The maximum number of services of a manager that are stored.
    package static let serviceLimit = 256

    /// The services in the order in which they were published: included services come first.
    package var services: [AddedService] = []
    package var advertisement: AdvertisementRequest?

    /// Whether there is nothing to restore.
    package var isEmpty: Bool { services.isEmpty && advertisement == nil }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// What an application wants of its peripheral manager: what it has published and advertises.
///
/// A service is to be where it was, so that what bonded centrals keep of the table, and their
/// subscriptions, go on to hold.
struct PeripheralManagerIntents: Hashable, Sendable {
    /// How many services are remembered for one manager.
    static let serviceLimit = 256

    /// In the order in which they were published: none before one that it includes.
    var services: [PublishedService] = []
    var advertisement: AdvertisementIntent?

    /// Whether there is nothing to go on with.
    var isEmpty: Bool { services.isEmpty && advertisement == nil }
}

/// What was advertised, as far as it can be.
struct AdvertisementIntent: Hashable, Sendable {
    var localName: String?
    /// Texts of UUIDs, in the width in which the application made them.
    var services: [String] = []
}

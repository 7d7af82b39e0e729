// SPDX-License-Identifier: Apache-2.0

/// The advertisement of a peripheral manager.
package struct AdvertisementRequest: Hashable, Sendable {
    package var localName: String?
    /// The UUIDs as text, with as many digits as the application used. They are advertised in this
    /// width.
    package var services: [String] = []
    /// Whether the rules for applications in the background apply. It is not stored.
    package var hasBackgroundRules = false

    package init(
        localName: String? = nil,
        services: [String] = [],
        hasBackgroundRules: Bool = false
    ) {
        self.localName = localName
        self.services = services
        self.hasBackgroundRules = hasBackgroundRules
    }
}

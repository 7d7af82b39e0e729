// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

extension AccessoryCentral {
    /// How a central works; the defaults are good for an application that has one.
    ///
    /// ```swift
    /// var configuration = AccessoryCentral.Configuration(name: "gateway")
    /// #if os(Linux)
    ///     configuration.adapter = .virtual
    /// #endif
    /// ```
    public struct Configuration: Sendable {
        /// What the central is called: the same at every launch, and another for every central of a
        /// process. The identifier for state restoration is made of it, and the place of the store.
        public var name: String
        /// Whether the system keeps the links and scans of the central when the application ends, and
        /// gives them back at the next launch.
        public var restores = true
        /// Whether scans may be for everything around. Those cost power, and find nothing in the
        /// background.
        public var allowsUnfilteredScans = false

        #if os(Linux)
            /// Which Bluetooth controller to use; nil for the default one.
            public var adapter: CBAdapter?
        #endif

        /// What tells the time.
        package var timekeeper: any Timekeeper = SystemTimekeeper()
        /// What the jitter of attempts to connect comes of; nil for chance.
        package var seed: UInt64?

        /// The configuration of a central with a name.
        public init(name: String = "accessories") {
            self.name = name
        }
    }
}

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
        /// gives them back at the next launch. On iOS only if `UIBackgroundModes` in `Info.plist` has
        /// `bluetooth-central`, without which the system ends applications that ask for it: Lanyard does
        /// not ask then, and logs that.
        public var restores = true
        /// Where accessories are remembered; nil for a file of the name's, in the place where applications
        /// keep such things.
        public var store: (any AccessoryStore)?
        /// How many links there may be.
        public var connectionLimit = ConnectionLimit.learned
        /// Which link makes room where there are too many.
        public var policy: any ConnectionPolicy = .standard
        /// What writes down all that happens, for people to look at.
        public var recorder: FlightRecorder?
        /// Whether scans may be for everything around. Those cost power, and find nothing in the
        /// background.
        public var allowsUnfilteredScans = false

        #if os(Linux)
            /// Which Bluetooth controller to use; nil for the default one.
            public var adapter: CBAdapter?
        #endif

        /// What tells the time.
        package var timekeeper: any Timekeeper = SystemTimekeeper()
        /// What ends with the process; nil for the real one.
        package var process: ApplicationProcess?
        /// What the jitter of attempts to connect comes of; nil for chance.
        package var seed: UInt64?

        /// The configuration of a central with a name.
        public init(name: String = "accessories") {
            self.name = name
        }

        #if os(Linux)
            /// One for a central on this adapter, whose time and chance are given.
            package init(
                name: String = "accessories",
                adapter: CBAdapter,
                timekeeper: any Timekeeper,
                seed: UInt64 = 1
            ) {
                self.name = name
                self.adapter = adapter
                self.timekeeper = timekeeper
                self.seed = seed
            }
        #endif
    }
}

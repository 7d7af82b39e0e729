// SPDX-License-Identifier: Apache-2.0

import Foundation

extension AccessoryCentral {
    /// The configuration of a central; the defaults suit an app with one central.
    ///
    /// ```swift
    /// var configuration = AccessoryCentral.Configuration(name: "gateway")
    /// #if os(Linux)
    ///     configuration.adapter = .virtual
    /// #endif
    /// ```
    public struct Configuration: Sendable {
        /// The name of the central: the same at every launch, and different for each central of a
        /// process. The identifier for state restoration and the location of the store derive from
        /// it.
        public var name: String
        /// Whether the system preserves the links and scans of the central when the app ends, and
        /// restores them at the next launch. On iOS this requires `bluetooth-central` in
        /// `UIBackgroundModes` of `Info.plist`. The system terminates an app that requests
        /// restoration without this entry. If the entry is missing, the library does not request
        /// restoration, and logs that.
        public var restores = true
        /// The store that remembers accessories. If `nil`, the central uses a file with its name in
        /// the usual directory for app data.
        public var store: (any AccessoryStore)?
        /// The limit on simultaneous links.
        public var connectionLimit = ConnectionLimit.learned
        /// The policy that chooses which link to end when all connection slots are in use.
        public var policy: any ConnectionPolicy = .standard
        /// The recorder of the central's events, for diagnosis; `nil` for none.
        public var recorder: FlightRecorder?
        /// Whether scans without a service filter are allowed. Such scans cost power, and on iOS
        /// find nothing in the background.
        public var allowsUnfilteredScans = false

        /// The Bluetooth of the system.
        package var system: any AccessorySystem = DefaultSystem.make()
        /// The clock.
        package var timekeeper: any Timekeeper = SystemTimekeeper()
        /// The simulated process with which the central ends, or `nil` for the real process.
        package var process: ApplicationProcess?
        /// The seed of the jitter of connection attempts, or `nil` for a random one.
        package var seed: UInt64?

        /// Creates the default configuration for a central with this name.
        ///
        /// - Parameter name: The name of the central, the same at every launch and different for
        ///   each central of a process.
        public init(name: String = "accessories") {
            self.name = name
        }
    }
}

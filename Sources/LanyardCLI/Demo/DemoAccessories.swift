// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Foundation
    import Lanyard
    import LanyardTesting

    /// The accessories of the demo: their virtual devices, and their descriptions for the app.
    enum DemoAccessories {
        static let names = ["Strap", "Lamp", "Scale", "Thermometer"]

        // MARK: Virtual radio

        /// A heart rate strap: one value a second, and the sensor location, which requires an
        /// encrypted link.
        static let virtualStrap = VirtualAccessory(
            "Strap",
            services: [
                VirtualService(
                    "180D",
                    [
                        .notifying("2A37", every: .seconds(1)) { [0x06, UInt8(62 + $0 % 40)] },
                        VirtualCharacteristic.readable("2A38", [1]).protected(),
                    ]
                )
            ],
            pairing: .comparingDigits
        )

        /// A lamp with a message channel.
        static let virtualLamp = VirtualAccessory(
            "Lamp",
            services: [
                .jsonMessages(lampService, writing: lampInput, notifying: lampOutput) {
                    (command: DimCommand) in
                    Brightness(brightness: min(max(command.dim, 0), 100))
                }
            ]
        )

        static let virtualScale = VirtualAccessory(
            "Scale",
            services: [VirtualService("181D", [.readable("2A9E", [0, 0, 0, 0])])]
        )

        static let virtualThermometer = VirtualAccessory(
            "Thermometer",
            services: [VirtualService("1809", [.readable("2A1D", [2])])]
        )

        // MARK: App

        static var strap: AccessoryDescription {
            var strap = AccessoryDescription(
                kind: "Strap",
                matching: .service("180D"),
                services: [ServiceDescription("180D", [.subscribe("2A37"), .read("2A38")])]
            )
            strap.pairing = .required(probing: "2A38")
            return strap
        }

        static let lamp = AccessoryDescription(
            kind: "Lamp",
            matching: .service(lampService),
            services: [
                ServiceDescription(lampService, [.write(lampInput), .subscribe(lampOutput)])
            ]
        )

        static let scale = AccessoryDescription(
            kind: "Scale",
            matching: .service("181D"),
            services: [ServiceDescription("181D", [.read("2A9E")])]
        )

        static let thermometer = AccessoryDescription(
            kind: "Thermometer",
            matching: .service("1809"),
            services: [ServiceDescription("1809", [.read("2A1D")])]
        )

        // MARK: Messages of the lamp

        static let lampService: BluetoothID = "4C414E59-4152-4400-A000-000000001D00"
        static let lampInput: BluetoothID = "4C414E59-4152-4400-A000-000000001D01"
        static let lampOutput: BluetoothID = "4C414E59-4152-4400-A000-000000001D02"

        struct DimCommand: Codable, Sendable {
            var dim: Int
        }

        struct Brightness: Codable, Sendable {
            var brightness: Int
        }

        struct Pressed: Codable, Sendable {
            var pressed: String
        }
    }

    /// A policy that ends the link that has been silent the longest, to free its connection slot.
    struct DemoPolicy: ConnectionPolicy {
        /// Whether a link may be ended to free its connection slot.
        let allows: @Sendable () -> Bool

        func linkToEnd(
            for request: ConnectionRequest,
            among links: [ConnectionHolder]
        ) -> AccessoryIdentity? {
            guard allows() else { return nil }
            return links.max { $0.silence < $1.silence }?.identity
        }
    }
#endif

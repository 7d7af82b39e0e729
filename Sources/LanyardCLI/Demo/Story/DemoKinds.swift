// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Foundation
    import Lanyard
    import LanyardTesting

    /// The accessories of the story: what they are on the air, and how the application describes them.
    enum DemoKinds {
        static let names = ["Strap", "Lamp", "Scale", "Thermometer"]

        // MARK: On the air

        /// Beats once a second; says where it is worn to those only that it is paired with.
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

        /// Talks in messages.
        static let virtualLamp = VirtualAccessory(
            "Lamp",
            services: [
                .messages(lampService, writing: lampInput, notifying: lampOutput) {
                    (order: Order) in
                    Brightness(brightness: min(max(order.dim, 0), 100))
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

        // MARK: In the application

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

        // MARK: What the lamp says

        static let lampService: BluetoothID = "4C414E59-4152-4400-A000-000000001D00"
        static let lampInput: BluetoothID = "4C414E59-4152-4400-A000-000000001D01"
        static let lampOutput: BluetoothID = "4C414E59-4152-4400-A000-000000001D02"

        struct Order: Codable, Sendable {
            var dim: Int
        }

        struct Brightness: Codable, Sendable {
            var brightness: Int
        }

        struct Pressed: Codable, Sendable {
            var pressed: String
        }
    }
#endif

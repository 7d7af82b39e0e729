// SPDX-License-Identifier: Apache-2.0
//! The model of a screen on which a person chooses and watches accessories.

// `Scripts/test-sanitized` builds a part of the package, without `Lanyard`.
#if canImport(Lanyard)
    // snippet.model
    import Lanyard
    import Observation

    @MainActor @Observable
    final class LampModel {
        let central: CentralModel
        let nearby: NearbyModel

        init(configuration: AccessoryCentral.Configuration = .init()) {
            central = CentralModel(for: [Lamp.description], configuration: configuration)
            nearby = NearbyModel(central.central, for: Lamp.description)
        }

        func pair(_ device: NearbyDevice) async {
            await central.pair(Lamp.description, with: device)
        }
    }
    // snippet.end

    struct Lamp: AccessoryProfile {
        static let kind = "lamp"
        static let service: BluetoothID = "1815"
        let brightness = Writable<UInt8>("2A56")
    }

    await LampModel().nearby.search()
#endif

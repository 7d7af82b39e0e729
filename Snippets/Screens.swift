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

    // snippet.settings
    struct Lamp: AccessoryProfile {
        static let kind = "lamp"
        static let service: BluetoothID = "1815"

        let brightness = Writable<UInt8>("2A56")
        let firmware = Readable<FirmwareRevision>(in: "180A", isRequired: false)
    }

    @MainActor @Observable
    final class LampSettings {
        let lamp: AccessoryModel
        private(set) var firmware: String?
        private(set) var signal: Int?
        private let central: CentralModel

        init(_ lamp: AccessoryModel, in central: CentralModel) {
            self.lamp = lamp
            self.central = central
        }

        func forget() async { await central.forget(lamp) }

        // The task of the view, which ends when the view disappears.
        func run() async {
            try? await lamp.accessory.untilReady()
            let device = try? TypedAccessory(lamp.accessory, as: Lamp.self)
            firmware = try? await device?.firmware.read().text
            while !Task.isCancelled {
                signal = try? await lamp.accessory.rssi()
                try? await Task.sleep(for: .seconds(2))
            }
        }
    }
    // snippet.end

    await LampModel().nearby.search()
#endif

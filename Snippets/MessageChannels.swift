// SPDX-License-Identifier: Apache-2.0
//! Exchanges messages over characteristics and L2CAP channels, with and without sealing.

// `Scripts/test-sanitized` builds a part of the package, without `Lanyard`.
#if canImport(Lanyard)
    import Foundation
    import Lanyard

    struct Blink: Codable { var times: Int }
    struct Reading: Codable { var celsius: Double }
    struct Setting: Codable { var value: Int }

    protocol Sensor: Sendable {
        func temperature(for central: UUID) async throws -> Temperature
    }

    struct Get: Codable {
        var name: String

        init(_ name: String) { self.name = name }
    }

    func exchange(with accessory: Accessory) async throws {
        // snippet.exchange
        let messages = accessory.messages(writing: "FFE1", listening: "FFE2")

        try await messages.send(Blink(times: 3))
        let volume = try await messages.request(Get("volume"), expecting: Setting.self)
        print(volume.value)
        for await reading in messages.messages(of: Reading.self) { print(reading) }
        // snippet.end
    }

    func answer(on messages: MessageChannel, from settings: [String: Setting]) -> ObservationToken {
        // snippet.answer
        let token = messages.answer(Get.self) { request in
            guard let setting = settings[request.name] else {
                throw MessageRefusal("no such setting")
            }
            return setting
        }
        // snippet.end
        return token
    }

    func serve(_ channel: MessageChannel) { print(channel.isLinked) }

    func serveCentrals(_ temperature: Temperature) async {
        // snippet.peripheral
        let gateway = AccessoryPeripheral(
            PublishedAccessory(
                name: "Gateway",
                services: [
                    .messages("FFE0", inbox: "FFE1", outbox: "FFE2"),
                    PublishedService("181A", [.notifying("2A6E", temperature.encoded)]),
                ]
            )
        )
        for await channel in gateway.channels { serve(channel) }
        // snippet.end
    }

    func publishedValues(of sensor: some Sensor) -> PublishedService {
        // snippet.values
        let station = PublishedService(
            "181A",
            [
                .computed("2A6E") { central in try await sensor.temperature(for: central).encoded },
                .indicating("2A1C", Data()),
            ]
        )
        // snippet.end
        return station
    }

    func send(
        _ measurement: TemperatureMeasurement,
        from peripheral: AccessoryPeripheral,
        to central: UUID
    ) async throws {
        // snippet.send
        try await peripheral.send(measurement.encoded, of: "2A1C")  // all have confirmed it
        try await peripheral.send(Data([1]), of: "2A46", to: central)
        // snippet.end
    }

    func openChannel(to accessory: Accessory) async throws -> MessageChannel {
        // snippet.l2cap
        let messages = try await accessory.openChannel(psm: 0x80).messages()
        // snippet.end
        return messages
    }

    func rotate(_ phone: MessageChannel, _ gateway: MessageChannel, to next: SealingKey)
        async throws
    {
        // snippet.rotate
        try gateway.acceptKey(next)  // at one side
        try await phone.rotateKeys(to: next)  // at the other
        // snippet.end
    }

    func seal(with sharedSecret: Data, to accessory: Accessory) throws -> MessageChannel {
        // snippet.sealing
        let key = try SealingKey(sharedSecret)  // 16, 24 or 32 bytes that both ends have
        let messages = accessory.messages(
            writing: "FFE1",
            listening: "FFE2",
            options: MessageChannelOptions(sealing: GCMSealing(key: key))
        )
        // snippet.end
        return messages
    }
#endif

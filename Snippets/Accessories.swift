// SPDX-License-Identifier: Apache-2.0
//! Finds an accessory, keeps it connected, and exchanges data with it.

// `Scripts/test-sanitized` builds a part of the package, without `Lanyard`.
#if canImport(Lanyard)
    import CoreBluetooth
    import Dispatch

    // snippet.connect
    import Foundation
    import Lanyard

    let lamp = AccessoryDescription(
        kind: "lamp",
        matching: .service("1815"),
        services: [
            ServiceDescription("1815", [.write("2A56"), .subscribe("2A58"), .read("2A57")])
        ]
    )
    let central = AccessoryCentral(for: [lamp])
    // The lamp of an earlier launch, or a lamp that is found and paired now.
    let accessory = try await central.accessory(lamp)
    try await accessory.untilReady()
    try await accessory.write(Data([1]), to: "2A56")
    // snippet.end

    func requirePairing(of lamp: AccessoryDescription) -> AccessoryDescription {
        // snippet.pairing
        var pairedLamp = lamp
        pairedLamp.pairing = .required(probing: "2A57")
        pairedLamp.timeouts.scanning = .seconds(30)
        // snippet.end
        return pairedLamp
    }

    func recognize(_ description: AccessoryDescription) -> AccessoryDescription {
        var tag = description
        // snippet.identity
        tag.identity = .manufacturerData(company: 0xFFFF, range: 0..<4)
        // snippet.end
        return tag
    }

    func showState(of accessory: Accessory) async {
        // snippet.changes
        for await change in accessory.changes { print(change.state, change.reason) }
        // snippet.end
    }

    func explain(_ accessory: Accessory) async throws {
        // snippet.diagnosis
        print(try await accessory.diagnosis())
        print(accessory.attempts.last as Any)
        // snippet.end
    }

    func update(_ accessory: Accessory, with firmware: Data) async throws {
        // snippet.chunks
        try await accessory.writeInChunks(firmware, to: "2A56") { sent in
            print(sent, "of", firmware.count)
        }
        // snippet.end
    }

    func showPulse(of accessory: Accessory) async throws {
        // snippet.values
        for await beat in try accessory.values(of: HeartRateMeasurement.self) { print(beat.rate) }
        // snippet.end
    }

    func explore(_ accessory: Accessory) async throws {
        // snippet.explore
        for service in try await accessory.discoverServices() {
            for characteristic in service.characteristics
            where characteristic.properties.contains(.read) {
                print(characteristic.identifier, try await accessory.read(characteristic))
            }
        }
        for descriptor in try await accessory.descriptors(of: "2A56") {
            print(descriptor.identifier, try await accessory.read(descriptor))
        }
        // snippet.end
    }

    struct Question: Codable {}
    struct Answer: Codable {}

    func ask(_ accessory: Accessory) async throws -> Answer {
        // snippet.messages
        let messages = accessory.messages(writing: "2A56", listening: "2A58")
        let answer = try await messages.request(Question(), expecting: Answer.self)
        // snippet.end
        return answer
    }

    func showPairing(of lamp: AccessoryDescription, by central: AccessoryCentral) async throws {
        // snippet.watchedPairing
        let pairing = try central.pairing(lamp)
        for await change in pairing.changes {
            print(change.state.progress, change.state, change.reason)
        }
        let accessory = try await pairing.accessory()
        // snippet.end
        print(accessory.id)
    }

    func move(
        _ manager: CBCentralManager,
        _ queue: DispatchQueue,
        _ peripheral: CBPeripheral,
        to lamp: AccessoryDescription
    ) throws -> AccessoryCentral {
        // snippet.adopt
        let central = try AccessoryCentral(
            adopting: manager,
            on: queue,
            with: [AdoptedPeripheral(peripheral, as: lamp)],
            for: [lamp]
        )
        // snippet.end
        return central
    }

    func choose(_ lamp: AccessoryDescription, by central: AccessoryCentral) async throws {
        // snippet.choose
        for await nearby in try central.nearby(matching: .service("1815")) {
            for device in nearby.devices { print(device.name ?? "?", device.signal ?? 0) }
            guard let tapped = nearby.devices.first(where: { !$0.isKnown }) else { continue }
            _ = try await central.pair(lamp, with: tapped)
        }
        // snippet.end
    }

    func pairAgain(
        _ lamp: AccessoryDescription,
        _ identifier: UUID,
        by central: AccessoryCentral
    ) async throws -> Accessory {
        // snippet.identifier
        let accessory = try await central.pair(lamp, with: identifier)
        // snippet.end
        return accessory
    }

    func watchDoor(_ central: AccessoryCentral) async throws {
        // snippet.presenceOptions
        var options = PresenceOptions(lostAfter: .seconds(2))
        options.minimumSignal = -80
        let events = try central.presence(matching: .service("1815"), options: options)
        // snippet.end
        for await event in events { print(event) }
    }

    func showNearby(_ central: AccessoryCentral) async throws {
        // snippet.presence
        for await event in try central.presence(matching: .service("1815")) { print(event) }
        // snippet.end
    }
#endif

// SPDX-License-Identifier: Apache-2.0
//! Tests an app among virtual accessories, in virtual time.

// `Scripts/test-sanitized` builds a part of the package, without `LanyardTesting`.
#if canImport(LanyardTesting)
    import CoreBluetooth
    import Lanyard
    import LanyardTesting
    import Testing

    func testLamp(_ description: AccessoryDescription) async throws {
        // snippet.lamp
        let world = TestWorld(seed: 7)
        let lamp = world.add(
            VirtualAccessory(
                "Lamp",
                services: [VirtualService("1815", [.readable("2A56", [0x01])])]
            )
        )
        try await world.run {
            let configuration = world.phone.configuration
            let central = AccessoryCentral(for: [description], configuration: configuration)
            let accessory = try await central.accessory(description)
            lamp.walk(to: .outOfRange)
            try await world.expect(accessory, becomes: .outOfRange, within: .seconds(10))
            lamp.comeBack()
            try await world.expect(accessory, becomes: .ready, within: .seconds(5))
        }
        // snippet.end
    }

    func runInRealTime(_ delegate: any CBCentralManagerDelegate, _ queue: DispatchQueue) async {
        // snippet.realTime
        let world = RealTimeWorld()
        let phone = await world.addDevice("Phone")
        world.add(VirtualAccessory("Lamp", services: []), at: .near)
        let central = CBCentralManager(
            delegate: delegate,
            queue: queue,
            options: [CBManagerOptionAdapterKey: phone]
        )
        // … wait for callbacks of the delegate …
        await world.shutDown()
        // snippet.end
        _ = central
    }

    @MainActor
    func preview() async {
        // snippet.preview
        let world = RealTimeWorld()  // Keep it as long as the model.
        world.add(
            VirtualAccessory("Strap", services: [VirtualService("180D", [.notifying("2A37")])])
        )
        let configuration = await world.addPhone("Phone")
        let model = CentralModel(for: [.strap], configuration: configuration)
        // snippet.end
        await model.pair(.strap)
        await world.shutDown()
    }

    extension AccessoryDescription {
        static let strap = AccessoryDescription(
            kind: "strap",
            matching: .service("180D"),
            services: [ServiceDescription("180D", [.subscribe("2A37")])]
        )
    }

    func launchTwice(on phone: TestPhone) async throws {
        // snippet.launch
        let central = phone.launch { AccessoryCentral(for: [.strap], configuration: $0) }
        print(try await central.accessory(.strap).id)
        await phone.endApp()
        let again = phone.launch { AccessoryCentral(for: [.strap], configuration: $0) }
        print(try await again.accessory(.strap).id)  // the same
        // snippet.end
    }

    func declinePairing(
        on phone: TestPhone,
        _ central: AccessoryCentral,
        _ lock: AccessoryDescription
    ) async {
        // snippet.pairing
        phone.pairingAnswer = .declines
        await #expect(throws: AccessoryError.notPaired) { try await central.pair(lock) }
        #expect(phone.pairingDialogs == [.consent])
        // snippet.end
    }

    @MainActor
    func screen(in world: TestWorld) async throws {
        // snippet.screen
        try await world.run {
            let model = world.phone.launch { CentralModel(for: [.strap], configuration: $0) }
            let strap = await model.pair(.strap)
            try await world.expect("the strap is connected", within: .seconds(5)) {
                strap?.isReady == true
            }
            #expect(model.accessories.map(\.name) == ["Strap"] && model.problem == nil)
        }
        // snippet.end
    }

    @MainActor
    final class Model {
        var rate: Int?
    }

    func expectations(of accessory: Accessory, _ model: Model, in world: TestWorld) async throws {
        // snippet.expectations
        try await world.expect(accessory, becomes: .ready, within: .seconds(5))
        try await world.expectNever(accessory, becomes: .outOfRange, for: .seconds(60))
        try await world.expect("the label shows the rate", within: .seconds(3)) {
            await model.rate == 61
        }
        #expect(world.story.texts == ["Strap goes off", "Strap: outOfRange: …"])
        // snippet.end
    }
#endif

// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Lanyard
    import Synchronization
    import Testing

    /// Values that are written to a third-party accessory, and its identity and presence.
    @Suite(.needsPeers) struct BumbleShelfTests {
        @Test(
            "Row 15: One write, and 2 kB in chunks, arrive complete and in order",
            arguments: ControllerKind.available
        )
        func writes(kind: ControllerKind) async throws {
            try await withBoxFixture(on: kind) { fixture in
                let box = try await fixture.box()
                let central = AccessoryCentral(
                    for: [MessageBox.openDescription],
                    configuration: try fixture.configuration()
                )
                _ = try await central.accessory(MessageBox.openDescription)
                for kind in [WriteKind.withResponse, .withoutResponse] {
                    try await writesOnce(kind, by: central, to: box)
                    try await writesInChunks(kind, by: central, to: box)
                }
                await central.shutDown()
            }
        }

        /// Writes a short value, which the accessory returns on a read.
        private func writesOnce(
            _ kind: WriteKind,
            by central: AccessoryCentral,
            to box: MessageBox
        ) async throws {
            let accessory = try #require(central.accessories.first)
            let value = Data([1, 2, kind == .withResponse ? 3 : 4])
            let before = try await accessory.read(MessageBox.shelf).count
            try await accessory.write(value, to: MessageBox.shelf, as: kind)
            // `written` first returns the last write of the earlier call, and then the new bytes.
            let put = try await box.written(before + value.count)
            #expect(put.value.suffix(value.count) == value)
            #expect(try await accessory.read(MessageBox.shelf) == value)
            let length = accessory.maximumWriteLength(for: kind)
            await #expect(throws: AccessoryError.tooLong(length: length + 1, maximum: length)) {
                try await accessory.write(Data(count: length + 1), to: MessageBox.shelf, as: kind)
            }
        }

        /// Writes a long value after the short one.
        private func writesInChunks(
            _ kind: WriteKind,
            by central: AccessoryCentral,
            to box: MessageBox
        ) async throws {
            let accessory = try #require(central.accessories.first)
            let value = Data((0..<2_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
            let progress = Mutex<[Int]>([])
            try await accessory.writeInChunks(value, to: MessageBox.shelf, as: kind) { sent in
                progress.withLock { $0.append(sent) }
            }
            let before = 3
            let put = try await box.written(before + value.count)
            #expect(put.value.dropFirst(before) == value)
            #expect(put.lengths.allSatisfy { $0 <= accessory.maximumWriteLength(for: kind) })
            let reports = progress.withLock { $0 }
            #expect(reports == reports.sorted() && reports.last == value.count)
        }

        @Test("Row 14: Manufacturer data identifies an accessory that has a new address")
        func identity() async throws {
            try await withBoxFixture { fixture in
                let own = ["--id", "42"]
                let box = try await fixture.box(options: own)
                var description = MessageBox.openDescription
                description.identity = .manufacturerData(company: 0xFFFF, range: 0..<1)
                let central = AccessoryCentral(
                    for: [description],
                    configuration: try fixture.configuration()
                )
                let accessory = try await central.accessory(description)
                #expect(
                    accessory.id == .manufacturer(company: 0xFFFF, identifier: Data([0x42]))
                )
                let changes = accessory.changes
                try await fixture.reach(.ready, in: changes)
                box.client.process.kill()
                try await fixture.reach(.outOfRange, in: changes)
                let other = try await fixture.box(options: own, address: "F1:A0:00:00:00:0D")
                try await fixture.reach(.ready, in: changes)
                try await accessory.write(Data([7]), to: MessageBox.shelf)
                #expect(try await other.written(1).value == Data([7]))
                #expect(central.accessories.map(\.id) == [accessory.id])
                await central.shutDown()
            }
        }

        @Test(
            "Row 11: The central reports an accessory as discovered, lost, and discovered again"
        )
        func presence() async throws {
            try await withBoxFixture { fixture in
                let central = AccessoryCentral(
                    for: [MessageBox.openDescription],
                    configuration: try fixture.configuration()
                )
                let events = try central.presence(matching: .service(MessageBox.service))
                let box = try await fixture.box()
                _ = try await discovered(in: events)
                // The app learns the advertising interval of the box in this time.
                try await box.client.perform("stay", ["seconds": .number(2)])
                box.client.process.kill()
                let lost = try await within(BoxFixture.limit, "the loss") {
                    for await event in events {
                        if case .lost(let device, .silent) = event { return device }
                    }
                    throw ProcessError.tooSlow("the loss")
                }
                #expect(lost.learnedInterval != nil)
                _ = try await fixture.box()
                #expect(try await discovered(in: events).discovery?.name == "Box")
                await central.shutDown()
            }
        }

        @Test(
            "Row 11: A box that was chosen from the list of devices nearby is paired",
            arguments: ControllerKind.available
        )
        func chosen(kind: ControllerKind) async throws {
            try await withBoxFixture(on: kind) { fixture in
                let box = try await fixture.box()
                let central = AccessoryCentral(
                    for: [MessageBox.openDescription],
                    configuration: try fixture.configuration()
                )
                let lists = try central.nearby(matching: .service(MessageBox.service))
                let device = try await listed(in: lists) { $0.name == "Box" }
                #expect(!device.isKnown)
                let pairing = try central.pairing(MessageBox.openDescription, with: device)
                let states = try await within(BoxFixture.limit, "the pairing") {
                    var states: [AccessoryState] = []
                    for await change in pairing.changes { states.append(change.state) }
                    return states
                }
                #expect(states.contains(.discoveringServices) && states.last == .ready)
                let accessory = try await pairing.accessory()
                #expect(accessory.id == device.id)
                try await accessory.write(Data([9]), to: MessageBox.shelf)
                #expect(try await box.written(1).value == Data([9]))
                #expect(try await listed(in: lists) { $0.isKnown }.id == accessory.id)
                await central.shutDown()
            }
        }

        @Test(
            "Row 11: A killed box is lost after the fixed silence, and is listed again when it restarts"
        )
        func fixedSilence() async throws {
            try await withBoxFixture { fixture in
                let central = AccessoryCentral(
                    for: [MessageBox.openDescription],
                    configuration: try fixture.configuration()
                )
                let lists = try central.nearby(
                    matching: .service(MessageBox.service),
                    options: PresenceOptions(lostAfter: .seconds(2))
                )
                let box = try await fixture.box()
                let device = try await listed(in: lists) { $0.name == "Box" }
                box.client.process.kill()
                let lost = try await within(BoxFixture.limit, "the loss") {
                    for await list in lists where list.devices.isEmpty { return list.lost }
                    throw ProcessError.tooSlow("the loss")
                }
                #expect(lost.map(\.id) == [device.id])
                _ = try await fixture.box()
                #expect(try await listed(in: lists) { $0.name == "Box" }.name == "Box")
                await central.shutDown()
            }
        }

        @Test(
            "Row 20: In the background, a box is paired by its service but not by its name, and reconnects"
        )
        func background() async throws {
            try await withBoxFixture { fixture in
                let box = try await fixture.box()
                var named = MessageBox.openDescription
                named.matcher = .name("Box")
                named.timeouts.scanning = .seconds(5)
                var configuration = try fixture.configuration()
                configuration.allowsUnfilteredScans = true
                let central = AccessoryCentral(
                    for: [MessageBox.openDescription],
                    configuration: configuration
                )
                central.isInBackground = true
                await #expect(throws: AccessoryError.notFound(after: .seconds(5))) {
                    try await central.pair(named)
                }
                let accessory = try await central.pair(MessageBox.openDescription)
                try await accessory.write(Data([3]), to: MessageBox.shelf)
                #expect(try await box.written(1).value == Data([3]))
                let changes = accessory.changes
                try await fixture.reach(.ready, in: changes)
                box.client.process.kill()
                try await fixture.reach(.outOfRange, in: changes)
                _ = try await fixture.box()
                try await fixture.reach(.ready, in: changes)
                await central.shutDown()
            }
        }

        private func listed(
            in lists: Events<NearbyDevices>,
            where condition: @escaping @Sendable (NearbyDevice) -> Bool
        ) async throws -> NearbyDevice {
            try await within(BoxFixture.limit, "the list") {
                for await list in lists {
                    if let device = list.devices.first(where: condition) { return device }
                }
                throw ProcessError.tooSlow("the list")
            }
        }

        private func discovered(in events: Events<PresenceEvent>) async throws -> PresentDevice {
            try await within(BoxFixture.limit, "the discovery") {
                for await event in events {
                    if case .discovered(let device) = event { return device }
                }
                throw ProcessError.tooSlow("the discovery")
            }
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// The cases of robust caching, with all PDUs of each case (GATT.TS, 4.9). The Upper Tester changes
/// the database by publishing and removing a service that has no other effect.
@Suite("Services of the GATT server profile")
struct ServerServiceTests {
    private typealias Tester = CachingTester

    @Test("GATT/SR/GAS/BV-03-C: Each client has its own features, which are lost without a bond")
    func featuresOfEachClient() throws {
        var tester = try Tester()
        let other = GATTServer.ClientID(rawValue: 2)
        tester.connect()
        tester.connect(other)
        try tester.enableRobustCaching()
        #expect(try tester.readFeatures() == [1])
        #expect(try tester.readFeatures(other) == [0])
        tester.disconnect()
        tester.connect()
        #expect(try tester.readFeatures() == [0])
    }

    @Test("GATT/SR/GAS/BV-04-C: The features of a bonded client are restored")
    func featuresOfBondedClient() throws {
        var tester = try Tester()
        tester.connect(security: Tester.bonded)
        try tester.enableRobustCaching()
        tester.disconnect()
        tester.connect(security: Tester.bonded)
        #expect(try tester.readFeatures() == [1])
    }

    @Test("GATT/SR/GAS/BV-05-C: Requests of a change-unaware client")
    func unsynchronized() throws {
        var tester = try Tester()
        tester.connect()
        try tester.changeDatabase()
        #expect(tester.read() == nil)
        try tester.enableRobustCaching()
        try tester.changeDatabase()
        #expect(tester.read() == .databaseOutOfSync)
        #expect(tester.read() == nil)
        let before = tester.server.value(of: tester.value)
        try tester.changeDatabase()
        #expect(tester.read() == .databaseOutOfSync)
        #expect(tester.send(.writeCommand(.init(handle: tester.value, value: [9]))).isEmpty)
        #expect(tester.server.value(of: tester.value) == before)
        #expect(try tester.writeFeatures([0]) == .valueNotAllowed)
        #expect(try tester.readFeatures() == [1])
        try tester.changeDatabase()
        #expect(tester.read(try tester.handle(of: 0x2B2A)) == .databaseOutOfSync)
        try tester.changeDatabase()
        let part = ATT.PDU.readByTypeRequest(
            .init(start: .first, end: tester.value, type: BluetoothUUID(0x2A00))
        )
        #expect(tester.refusal(of: part) == .databaseOutOfSync)
    }

    @Test("GATT/SR/GAS/BV-06-C: The database changes during the connection")
    func changeDuringConnection() throws {
        var tester = try Tester()
        tester.connect()
        try tester.enableRobustCaching()
        try tester.changeDatabase()
        #expect(tester.readHash() == tester.server.database.hash)
        #expect(tester.read() == nil)
        try tester.enableServiceChanged()
        try tester.changeDatabase()
        #expect(tester.takeIndications() == 1)
        tester.confirm()
        #expect(tester.read() == nil)
        try tester.changeDatabase()
        #expect(tester.takeIndications() == 1)
        #expect(tester.read() == .databaseOutOfSync)
    }

    @Test("GATT/SR/GAS/BV-07-C: The database changes between connections")
    func changeBetweenConnections() throws {
        var tester = try Tester()
        tester.connect(security: Tester.bonded)
        try tester.enableRobustCaching()
        tester.disconnect()
        try tester.changeDatabase()
        tester.connect(security: Tester.bonded)
        #expect(tester.readHash() == tester.server.database.hash)
        #expect(tester.read() == nil)
        try tester.enableServiceChanged()
        tester.disconnect()
        try tester.changeDatabase()
        tester.connect(security: Tester.bonded)
        #expect(tester.takeIndications() == 1)
        tester.confirm()
        #expect(tester.read() == nil)
        tester.disconnect()
        tester.connect(security: Tester.bonded)
        #expect(tester.takeIndications() == 0)
        #expect(try tester.writeFeatures([0]) == .valueNotAllowed)
        try tester.enableServiceChanged(0)
        for isChanged in [true, false] {
            tester.disconnect()
            if isChanged { try tester.changeDatabase() }
            tester.connect(security: Tester.bonded)
            #expect(tester.takeIndications() == 0)
            #expect(tester.read() == .databaseOutOfSync)
        }
    }

    @Test(
        "GATT/SR/GAW/BI-41-C: The execution of a prepared write to a removed attribute fails",
        arguments: [true, false]
    )
    func executesRemovedPart(isRobust: Bool) throws {
        var tester = try Tester()
        tester.connect()
        if isRobust { try tester.enableRobustCaching() }
        let added = try tester.server.publish(
            .init(
                BluetoothUUID(0xFFB0),
                [.init(BluetoothUUID(0xFFB1), .write, value: .stored([0]))]
            )
        ).0
        if isRobust {
            #expect(tester.readHash() == tester.server.database.hash)
            #expect(tester.read() == nil)
        }
        let handle = try #require(added.characteristic(BluetoothUUID(0xFFB1))).valueHandle
        for target in [tester.value, handle] {
            let part = ATT.PrepareWriteRequest(handle: target, offset: 0, value: [9])
            #expect(tester.refusal(of: .prepareWriteRequest(part)) == nil)
        }
        _ = try tester.server.unpublish(added.service.handle)
        #expect(
            tester.send(.executeWriteRequest(.init(flags: .writeAll))) == [
                .errorResponse(
                    .init(
                        requestOpcode: .executeWriteRequest,
                        handle: handle,
                        code: .databaseOutOfSync
                    )
                )
            ]
        )
        #expect(tester.server.value(of: tester.value) == [1])
        // The error was sent on the bearer, so the next request makes the client change-aware.
        #expect(tester.read() == nil)
    }

    @Test("GATT/SR/GAS/BV-08-C: Several values of variable length in a database that changes")
    func readMultipleVariable() throws {
        var tester = try Tester()
        tester.connect()
        let several = ATT.PDU.readMultipleVariableRequest(
            .init(handles: [tester.value, tester.value])
        )
        try tester.changeDatabase()
        #expect(tester.refusal(of: several) == nil)
        try tester.enableRobustCaching()
        try tester.changeDatabase()
        #expect(tester.refusal(of: several) == .databaseOutOfSync)
        #expect(tester.readHash() == tester.server.database.hash)
        #expect(tester.refusal(of: several) == nil)
    }
}

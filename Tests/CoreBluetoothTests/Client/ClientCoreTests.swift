// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothPort
import BluetoothTypes
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Requests on one link")
struct ClientCoreTests {
    private let done = Result<PortAnswer, any Error>.success(.gatt(.done))

    @Test("7.14 The host has one request at a time, in the order of the calls")
    func oneAtATime() {
        var harness = CoreHarness()
        harness.ask(.read(CoreHarness.value))
        harness.ask(.write(CoreHarness.value, [1]))
        #expect(harness.questions == ["readLong"])
        harness.answer(.success(.gatt(.value([7]))))
        #expect(harness.questions == ["write"])
        harness.answer(done)
        #expect(harness.posted == ["1 read [7]", "1 wrote ok"])
        #expect(harness.questions.isEmpty)
    }

    @Test("7.7 A write without response overtakes a pending read, but not a pending write")
    func commands() {
        var harness = CoreHarness()
        let window = WriteWindow()
        harness.ask(.read(CoreHarness.value))
        harness.ask(.command(CoreHarness.value, [1], window))
        #expect(harness.questions == ["readLong", "writeWithoutResponse"])
        harness.ask(.write(CoreHarness.value, [2]))
        harness.ask(.command(CoreHarness.value, [3], window))
        #expect(harness.questions == ["readLong", "writeWithoutResponse"])
        harness.answer(.success(.gatt(.value([7]))))
        harness.answer(done)
        #expect(harness.questions == ["write"])
        harness.answer(done)
        #expect(harness.questions == ["writeWithoutResponse"])
    }

    @Test("6.4 A peripheral whose database cannot be read is discovered in parts")
    func parts() {
        var harness = CoreHarness()
        harness.ask(.find(.services(UUIDFilter(nil))))
        #expect(harness.questions == ["table"])
        harness.refuse(.unlikelyError)
        #expect(harness.questions == ["discoverPrimaryServices"])
        harness.answer(.success(.gatt(.services([CoreHarness.service]))))
        harness.ask(.find(.characteristics(UUIDFilter(nil), of: CoreHarness.service)))
        #expect(harness.questions == ["discoverCharacteristics"])
        harness.answer(.success(.gatt(.characteristics([CoreHarness.value]))))
        harness.ask(.setNotifying(true, CoreHarness.value))
        #expect(harness.questions == ["discoverDescriptors"])
        harness.answer(.success(.gatt(.descriptors([CoreHarness.configuration]))))
        #expect(harness.questions == ["subscribe"])
        harness.answer(done)
        #expect(harness.posted == ["1 services 1", "1 characteristics 1", "1 notifying true"])
    }

    @Test("6.7 A discovery that fails as a whole and in parts reports its last error")
    func failure() {
        var harness = CoreHarness()
        harness.ask(.find(.services(UUIDFilter(nil))))
        harness.refuse(.unlikelyError)
        harness.refuse(.insufficientResources)
        #expect(harness.posted == ["1 services CBATTError 17"])
    }

    @Test("6.6 After a change, the new database is read before anything else")
    func change() {
        var harness = CoreHarness()
        harness.ask(.find(.services(UUIDFilter(nil))))
        harness.answerTable()
        harness.change(AttributeHandle(20)...AttributeHandle(30))
        harness.ask(.read(CoreHarness.value))
        #expect(harness.questions == ["table"])
        harness.answerTable(withMore: true)
        #expect(harness.questions == ["readLong"])
        #expect(harness.posted == ["1 services 1", "all modified 1 true"])
    }

    @Test(
        "6.6 A request refused after a change is repeated once if its attribute still exists"
    )
    func repetition() {
        var harness = CoreHarness()
        harness.ask(.read(CoreHarness.value))
        harness.refuse(.databaseOutOfSync)
        #expect(harness.questions == ["table"])
        harness.answerTable()
        #expect(harness.questions == ["readLong"])
        harness.refuse(.databaseOutOfSync)
        #expect(harness.posted == ["1 read CBATTError 18"])
    }

    @Test("6.6 Requests for attributes that a change invalidated fail and are not sent")
    func stale() {
        var harness = CoreHarness()
        harness.ask(.find(.services(.init(nil))))
        harness.answerTable(withMore: true)
        let window = WriteWindow()
        harness.ask(.read(CoreHarness.value))
        harness.ask(.write(CoreHarness.value, [1]))
        harness.ask(.command(CoreHarness.value, [2], window))
        harness.ask(.setNotifying(true, CoreHarness.value), for: CoreHarness.two)
        harness.ask(.writeDescriptor(CoreHarness.configuration, [0]))
        harness.ask(.find(.characteristics(.init(nil), of: CoreHarness.service)))
        harness.ask(.find(.services(.init(nil))))
        #expect(harness.questions == ["readLong"])
        // The last attribute of the service changed, so the service is invalid.
        harness.change(AttributeHandle(13)...AttributeHandle(13))
        #expect(
            harness.posted.dropFirst() == [
                "1 read CBError 2", "1 wrote CBError 2", "2 notifying CBError 2",
                "1 descriptorWritten CBError 2", "1 characteristics CBError 2",
                "all modified 1 true",
            ]
        )
        // The answer to the request that the host had is dropped.
        harness.answer(.success(.gatt(.value([7]))))
        #expect(harness.questions == ["table"])
        harness.answerTable()
        harness.answerTable()
        #expect(harness.posted.last == "1 services 1")
        #expect(harness.questions.isEmpty)
        #expect(window.hasRoom)
    }

    @Test("6.6 Requests for unchanged attributes are still sent after a change")
    func unaffected() {
        var harness = CoreHarness()
        harness.ask(.find(.services(.init(nil))))
        harness.answerTable(withMore: true)
        harness.ask(.read(CoreHarness.value))
        harness.ask(.write(CoreHarness.value, [1]))
        harness.change(AttributeHandle(20)...AttributeHandle(20))
        harness.answer(.success(.gatt(.value([7]))))
        harness.answerTable()
        #expect(harness.questions == ["write"])
        harness.answer(done)
        #expect(
            harness.posted == ["1 services 2", "all modified 1 true", "1 read [7]", "1 wrote ok"]
        )
    }

    @Test("5.7 After a reconnection, the database is read before an attribute is used")
    func verification() {
        var harness = CoreHarness(isVerified: false)
        harness.ask(.read(CoreHarness.value))
        #expect(harness.questions == ["table"])
        // The host compares the database with that of the earlier link.
        harness.change(AttributeHandle(20)...AttributeHandle(20), isReported: false)
        harness.answerTable()
        #expect(harness.posted == ["all modified 1 false"])
        #expect(harness.questions == ["readLong"])
        harness.answer(.success(.gatt(.value([7]))))
        harness.ask(.read(CoreHarness.value))
        #expect(harness.questions == ["readLong"])
    }

    @Test("7.11 Two managers share a subscription, and the last one ends it")
    func sharing() {
        var harness = CoreHarness()
        harness.ask(.setNotifying(true, CoreHarness.value))
        harness.ask(.setNotifying(true, CoreHarness.value), for: CoreHarness.two)
        harness.answerTable()
        #expect(harness.questions == ["subscribe"])
        harness.answer(done)
        #expect(harness.questions.isEmpty)
        let handle = CoreHarness.value.valueHandle
        #expect(
            harness.core.subscriptions.receivers(of: handle) == [CoreHarness.one, CoreHarness.two]
        )
        harness.ask(.setNotifying(false, CoreHarness.value))
        #expect(harness.questions.isEmpty)
        harness.leave(CoreHarness.two)
        #expect(harness.questions == ["unsubscribe"])
        harness.answer(done)
        #expect(harness.core.subscriptions.receivers(of: handle).isEmpty)
        #expect(
            harness.posted == ["1 notifying true", "2 notifying true", "1 notifying false"]
        )
    }

    @Test("5.4 A manager that disconnected gets no answers to its requests")
    func leaving() {
        var harness = CoreHarness()
        harness.ask(.read(CoreHarness.value))
        harness.ask(.read(CoreHarness.value))
        harness.ask(.read(CoreHarness.value), for: CoreHarness.two)
        harness.leave(CoreHarness.one)
        harness.answer(.success(.gatt(.value([1]))))
        harness.answer(.success(.gatt(.value([2]))))
        #expect(harness.posted == ["2 read [2]"])
        #expect(harness.questions.isEmpty)
    }

    @Test("5.4 A manager that disconnects while it subscribes leaves no subscription")
    func leavingMidway() {
        var harness = CoreHarness()
        harness.ask(.setNotifying(true, CoreHarness.value))
        harness.answerTable()
        harness.leave(CoreHarness.one)
        harness.answer(done)
        #expect(harness.questions == ["unsubscribe"])
        harness.answer(done)
        #expect(harness.questions.isEmpty)
        #expect(harness.posted.isEmpty)
    }

    @Test(
        "5.6, 7.17 A request that ends with the link is not answered",
        arguments: [
            GATT.Failure.timedOut, .bearerClosed,
        ]
    )
    func linkEnd(failure: GATT.Failure) {
        var harness = CoreHarness()
        harness.ask(.read(CoreHarness.value))
        harness.ask(.read(CoreHarness.value))
        while !harness.asked.isEmpty { harness.answer(.failure(failure)) }
        #expect(harness.posted.isEmpty)
    }

    @Test("7.7 The app learns of space for writes that were dropped because too many requests wait")
    func droppedCommands() {
        var harness = CoreHarness()
        let window = WriteWindow()
        for _ in 0...ClientCore.waitingLimit { harness.ask(.read(CoreHarness.value)) }
        for _ in 0..<WriteWindow.limit { _ = window.take() }
        for _ in 0..<WriteWindow.limit {
            harness.ask(.command(CoreHarness.value, [1], window))
        }
        #expect(harness.posted == ["1 ready"])
        #expect(window.hasRoom)
    }

    @Test("7.14 Requests beyond the limit are refused at once")
    func bound() {
        var harness = CoreHarness()
        for _ in 0...ClientCore.waitingLimit { harness.ask(.read(CoreHarness.value)) }
        #expect(harness.posted.isEmpty)
        harness.ask(.read(CoreHarness.value))
        #expect(harness.posted == ["1 read CBError 4"])
    }

    @Test("7.16 A refused subscription has no effect")
    func refusedSubscription() {
        var harness = CoreHarness()
        harness.ask(.setNotifying(true, CoreHarness.value))
        harness.answerTable()
        harness.refuse(.insufficientAuthorization)
        #expect(harness.posted == ["1 notifying CBATTError 8"])
        #expect(harness.core.subscriptions.receivers(of: CoreHarness.value.valueHandle).isEmpty)
    }

    @Test("13.3 A restored subscription that succeeds is not reported")
    func renotifying() {
        var harness = CoreHarness()
        harness.ask(.renotify(CoreHarness.value))
        harness.answerTable()
        harness.answer(done)
        #expect(harness.posted.isEmpty)
        #expect(harness.core.subscriptions.isInForce(CoreHarness.value.valueHandle))
    }
}
